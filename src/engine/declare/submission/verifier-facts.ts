import type { Json, JsonObject } from '#contract/json.ts';
import { parseSource, type SourceParse } from '../../references/parse.ts';
import { isList, isObject, memberOf } from '../../values/kind.ts';
import type { ResolvedCard } from '../types.ts';

export type Source = Extract<SourceParse, { ok: true }>['source'];

/** What bindings need to know of a Verifier. Read from its spec as it is, which its own compilation judges. */
export interface VerifierFacts {
  /** Judged over a window: it has samples slots. */
  readonly window: boolean;
  readonly sources: readonly (readonly [slot: string, source: Source])[];
  readonly slots: ReadonlySet<string>;
  readonly requirements: ReadonlySet<string>;
  readonly driftChecks: number;
}

/** A binding whose Verifier was found. */
export interface BoundVerifier {
  readonly path: string;
  readonly name: string;
  readonly card: ResolvedCard;
  readonly facts: VerifierFacts;
}

export function verifierFacts(spec: Json): VerifierFacts {
  const slots = isObject(spec) ? memberOf(spec, 'inputs') : undefined;
  const entries = isObject(slots) ? Object.entries(slots) : [];
  const sources = entries.flatMap(([name, slot]) => {
    const parsed = typeof slot === 'string' ? parseSource(slot) : undefined;
    return parsed?.ok ? [[name, parsed.source] as const] : [];
  });
  const requirements = [...listOf(spec, 'steps'), spec].flatMap((owner) => listOf(owner, 'requirements'));
  const checks = requirements.map((requirement) => memberOf(requirement, 'check'));
  return {
    window: entries.some(([, slot]) => isObject(slot) && memberOf(slot, 'type') === 'samples'),
    sources,
    slots: new Set(entries.map(([name]) => name)),
    requirements: new Set(requirements.flatMap((requirement) => textOf(requirement, 'id'))),
    driftChecks: checks.filter((check) => isObject(check) && memberOf(check, 'kind') === 'drift').length,
  };
}

function listOf(owner: Json, name: string): readonly JsonObject[] {
  const list = isObject(owner) ? memberOf(owner, name) : undefined;
  return isList(list) ? list.filter(isObject) : [];
}

function textOf(owner: JsonObject, name: string): readonly string[] {
  const text = memberOf(owner, name);
  return typeof text === 'string' ? [text] : [];
}
