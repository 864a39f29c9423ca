import { blockIdPattern, cardNamePattern, slotPattern } from '#contract/ids.ts';
import { utf8Length } from '../values/canonical.ts';
import type { Reference, Selector, Wildcard } from './reference.ts';

export type ReferenceParse = { readonly ok: true; readonly reference: Reference } | { readonly ok: false };

/** A source slot's text: what it collects from the executions of another Verifier (docs/spec/verification.md §3.1, §6). */
type Source =
  | { readonly kind: 'input'; readonly verifier: string; readonly slot: string }
  | { readonly kind: 'outcome'; readonly verifier: string; readonly requirement: string };

export type SourceParse = { readonly ok: true; readonly source: Source } | { readonly ok: false };

const maxBytes = 1024;
/** An index fits 64 bits. */
const maxIndex = 2n ** 64n - 1n;

const head = /^[a-zA-Z0-9_-]+/;
const part = /\.([a-zA-Z0-9_-]+)|\[([0-9]+)\]|\[(\*)\]/y;

const refused = { ok: false } as const;
const wildcard: Wildcard = { wildcard: true };

/** Parses a reference text; the grammar is docs/spec/verification.md §6. Linear in the text. */
export function parseReference(text: string): ReferenceParse {
  if (text.length > maxBytes || utf8Length(text) > maxBytes) return refused;
  const root = head.exec(text)?.[0];
  if (root === undefined) return refused;
  const parts = parseParts(text, root.length);
  if (parts === undefined) return refused;
  const reference = referenceOf(root, parts);
  return reference === undefined ? refused : { ok: true, reference };
}

/** Whether `[*]` stands anywhere in it. */
export function hasWildcard(reference: Reference): boolean {
  return 'selector' in reference && reference.selector.some((step) => typeof step === 'object');
}

/** Parses the text of a source slot: exactly one slot or one requirement's outcome of a named Verifier. */
export function parseSource(text: string): SourceParse {
  if (text.length > maxBytes) return refused;
  const [root, verifier = '', kind, name = '', field, ...rest] = text.split('.');
  if (root !== 'verifiers' || !cardNamePattern.test(verifier) || rest.length > 0) return refused;
  if (kind === 'inputs' && field === undefined && slotPattern.test(name)) {
    return { ok: true, source: { kind: 'input', verifier, slot: name } };
  }
  if (kind === 'requirements' && field === 'outcome' && blockIdPattern.test(name)) {
    return { ok: true, source: { kind: 'outcome', verifier, requirement: name } };
  }
  return refused;
}

/** A step of the text after its root; `text` is canonical: an index without leading zeros. */
interface Part {
  readonly step: string | number | Wildcard;
  readonly text: string;
}

function parseParts(text: string, start: number): Part[] | undefined {
  const parts: Part[] = [];
  let at = start;
  while (at < text.length) {
    part.lastIndex = at;
    const match = part.exec(text);
    if (match === null) return undefined;
    const found = partOf(match);
    if (found === undefined) return undefined;
    parts.push(found);
    at = part.lastIndex;
  }
  return parts;
}

function partOf(match: RegExpExecArray): Part | undefined {
  const [, name, digits] = match;
  if (name !== undefined) return { step: name, text: `.${name}` };
  if (digits === undefined) return { step: wildcard, text: '[*]' };
  const index = BigInt(digits);
  // Beyond 2^53 the number is rounded, but no list is so long: it selects nothing either way.
  return index > maxIndex ? undefined : { step: Number(index), text: `[${index}]` };
}

function referenceOf(root: string, parts: readonly Part[]): Reference | undefined {
  const text = root + parts.map((found) => found.text).join('');
  switch (root) {
    case 'inputs':
      return inputOf(text, parts);
    case 'steps':
      return stepOf(text, parts);
    case 'requirement': {
      const field = parts[0]?.step;
      const fits = parts.length === 1 && (field === 'id' || field === 'statement');
      return fits ? { root: 'current', text, field } : undefined;
    }
    default:
      return undefined;
  }
}

function inputOf(text: string, parts: readonly Part[]): Reference | undefined {
  const slot = parts[0]?.step;
  if (typeof slot !== 'string' || !slotPattern.test(slot)) return undefined;
  return { root: 'input', text, slot, selector: selectorOf(parts.slice(1)) };
}

function stepOf(text: string, parts: readonly Part[]): Reference | undefined {
  const [step, kind, requirement, field] = parts.map((found) => found.step);
  if (typeof step !== 'string' || !blockIdPattern.test(step)) return undefined;
  if (kind === 'output') return { root: 'output', text, step, selector: selectorOf(parts.slice(2)) };
  if (kind === 'status' && parts.length === 2) return { root: 'status', text, step };
  if (kind !== 'requirements' || parts.length !== 4) return undefined;
  if (typeof requirement !== 'string' || !blockIdPattern.test(requirement)) return undefined;
  if (field !== 'outcome' && field !== 'reason') return undefined;
  return { root: 'verdict', text, step, requirement, field };
}

function selectorOf(parts: readonly Part[]): Selector {
  return parts.map((found) => found.step);
}
