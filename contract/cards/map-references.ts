import type { Json, JsonObject } from '../json.ts';
import { isCardKind } from './kinds.ts';
import type { CardRef } from './reference.ts';
import { isJsonObject } from './shared.ts';

/** A place of a spec that names a Card: a loader's path, a sibling of the declaration, or a declared Card. */
export type Target =
  | { readonly form: 'path'; readonly path: string }
  | { readonly form: 'sibling' | 'card'; readonly ref: CardRef };

/** Gives the value that stands in the place of a target. `pointer` is a JSON Pointer into the Card. */
export type ReplaceTarget = (target: Target, pointer: string, alias: string | undefined) => Json;

/**
 * A copy of the spec with every reference replaced. Only the places where the contract has a reference are looked at:
 * evidence-like values elsewhere (`expected: {kind, name}`) are nobody's reference. Tolerates any shape, since it runs
 * before the shape is judged.
 */
export function mapReferences(kind: string, spec: JsonObject, replace: ReplaceTarget): JsonObject {
  // The kind may be a stranger's: only names of our own are looked up.
  const walk = Object.hasOwn(walks, kind) ? walks[kind] : undefined;
  const mapped = walk ? walk(spec, '/spec', replace) : spec;
  return isJsonObject(mapped) ? mapped : spec;
}

type Walk = (value: Json, pointer: string, replace: ReplaceTarget) => Json;

function toTarget(value: Json): Target | undefined {
  if (typeof value === 'string') return /^\.{1,2}\//.test(value) ? { form: 'path', path: value } : undefined;
  if (!isJsonObject(value)) return undefined;
  const sibling = value.sibling;
  if (sibling !== undefined) return isReference(sibling) ? { form: 'sibling', ref: sibling } : undefined;
  return isReference(value) ? { form: 'card', ref: value } : undefined;
}

function isReference(value: Json): value is JsonObject & CardRef {
  if (!isJsonObject(value)) return false;
  const { kind, name, version, space, uid } = value;
  const optional = [version, space, uid].every((member) => member === undefined || typeof member === 'string');
  return typeof kind === 'string' && isCardKind(kind) && typeof name === 'string' && optional;
}

/** The value itself is a reference, or an inline body that `inline` looks into. */
function target(inline?: Walk): Walk {
  return (value, pointer, replace) => {
    const found = toTarget(value);
    if (found) return replace(found, pointer, undefined);
    return inline ? inline(value, pointer, replace) : value;
  };
}

/** Walks named members of an object and keeps everything else. */
function members(table: Readonly<Record<string, Walk>>): Walk {
  return (value, pointer, replace) => {
    if (!isJsonObject(value)) return value;
    return mapMembers(value, (name, member) => {
      const walk = Object.hasOwn(table, name) ? table[name] : undefined;
      return walk ? walk(member, `${pointer}/${escapeToken(name)}`, replace) : member;
    });
  };
}

function each(walk: Walk): Walk {
  return (value, pointer, replace) => {
    if (Array.isArray(value)) return value.map((item: Json, index) => walk(item, `${pointer}/${index}`, replace));
    return value;
  };
}

function everyMember(walk: Walk): Walk {
  return (value, pointer, replace) =>
    isJsonObject(value)
      ? mapMembers(value, (name, member) => walk(member, `${pointer}/${escapeToken(name)}`, replace))
      : value;
}

/** Own members only, `__proto__` as a member like any other. */
function mapMembers(object: JsonObject, map: (name: string, member: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(name, member)]));
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

const artifactFile = members({ artifact: members({ card: target() }) });

const inlineAgent = members({ prompt: target() });

/** Actions and checks: which members they have depends on their kind. */
const call = members({
  agent: target(inlineAgent),
  workspace: everyMember(artifactFile),
  source: artifactFile,
  signal: members({ baseline_ref: target() }),
});

const requirements = each(members({ check: call }));

const bindings = each(
  members({
    verifier: target(),
    runs_on: target(),
    on_failure: each(target()),
    on_verdict_change: each(target()),
  }),
);

/** The only references that carry an alias. */
const component: Walk = (value, pointer, replace) => {
  const alias = isJsonObject(value) && typeof value.alias === 'string' ? value.alias : undefined;
  return members({
    ref: (ref, place) => target()(ref, place, (found, at) => replace(found, at, alias)),
    verified_by: bindings,
  })(value, pointer, replace);
};

const walks: Readonly<Record<string, Walk>> = {
  Verifier: members({ steps: each(members({ action: call, requirements })), requirements }),
  Agent: members({ prompt: target(), verified_by: bindings }),
  Service: members({ verified_by: bindings, components: each(component) }),
};
