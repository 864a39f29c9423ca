import { type Alias, type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { Json } from '#contract/json.ts';

/** A fault of a document, at a character offset of its file. */
interface TreeFault {
  readonly offset: number;
  readonly message: string;
}

export type Tokens = readonly (string | number)[];

/** A document as JSON, and the offset of each of its places. */
export interface Tree {
  readonly value: Json;
  readonly faults: readonly TreeFault[];
  /** Offset of a member's key or of a list item; of the nearest place above it when there is no such place. */
  offsetOf(tokens: Tokens): number;
}

const maxDepth = 128;
/** What aliases may unfold to: a small file must not become a large Card. */
const maxNodes = 200_000;
const maxFaults = 20;
const plainTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((tag) => `tag:yaml.org,2002:${tag}`),
);

interface Reading {
  nodes: number;
  readonly faults: TreeFault[];
  readonly anchors: Map<string, Node>;
  readonly targets: Map<Alias, Node>;
}

/**
 * Reads a parsed document as JSON, more strictly than the library's own `toJS`: repeated keys, numbers that a double
 * cannot hold, tags, deep nesting and unfolding aliases are faults with a place (docs/spec/verification.md §1.6).
 */
export function readTree(document: Document.Parsed): Tree {
  const reading: Reading = { nodes: 0, faults: [], anchors: new Map(), targets: new Map() };
  const root = document.contents;
  const value = root === null ? null : toJson(reading, root, 0, false);
  return {
    value,
    faults: reading.faults.slice(0, maxFaults),
    offsetOf: (tokens) => (root === null ? 0 : findOffset(reading.targets, root, tokens)),
  };
}

function fault(reading: Reading, node: unknown, message: string): null {
  if (reading.faults.length < maxFaults) reading.faults.push({ offset: startOf(node) ?? 0, message });
  return null;
}

function startOf(node: unknown): number | undefined {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** `unfolded`: below an alias, where anchors have been seen before. */
function toJson(reading: Reading, node: Node, depth: number, unfolded: boolean): Json {
  reading.nodes += 1;
  if (reading.nodes > maxNodes) {
    return reading.nodes === maxNodes + 1
      ? fault(reading, node, `more than ${maxNodes} values once aliases are unfolded`)
      : null;
  }
  if (depth > maxDepth) return fault(reading, node, `nested deeper than ${maxDepth}`);
  if (isAlias(node)) return unfold(reading, node, depth);
  if (!unfolded && 'anchor' in node && typeof node.anchor === 'string') reading.anchors.set(node.anchor, node);
  if (typeof node.tag === 'string' && !plainTags.has(node.tag))
    return fault(reading, node, 'tags have no meaning here');
  if (isMap(node)) return toObject(reading, node.items, depth, unfolded);
  if (isSeq(node)) return node.items.map((item) => toJson(reading, item as Node, depth + 1, unfolded));
  return isScalar(node) ? toScalar(reading, node) : null;
}

function unfold(reading: Reading, alias: Alias, depth: number): Json {
  const target = reading.targets.get(alias) ?? reading.anchors.get(alias.source);
  if (target === undefined) return fault(reading, alias, 'an alias without its anchor');
  reading.targets.set(alias, target);
  return toJson(reading, target, depth + 1, true);
}

function toObject(reading: Reading, pairs: readonly Pair[], depth: number, unfolded: boolean): Json {
  const members = new Map<string, Json>();
  for (const pair of pairs) {
    const name = keyOf(pair);
    if (name === undefined) {
      fault(reading, pair.key, 'a key must be plain text');
      continue;
    }
    if (members.has(name)) fault(reading, pair.key, `the key ${JSON.stringify(name.slice(0, 64))} is there twice`);
    members.set(name, pair.value === null ? null : toJson(reading, pair.value as Node, depth + 1, unfolded));
  }
  // Defines members, so that one named __proto__ is a member like any other.
  return Object.fromEntries(members);
}

function keyOf(pair: unknown): string | undefined {
  if (!isPair(pair) || !isScalar(pair.key)) return undefined;
  const { value, source } = pair.key;
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  return value === null || source === undefined ? undefined : source;
}

function toScalar(reading: Reading, node: { readonly value: unknown }): Json {
  const { value } = node;
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (Number.isFinite(number) && BigInt(number) === value) return number;
    return fault(reading, node, 'the whole number is too large to be exact; quote it to make it a text');
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : fault(reading, node, 'the number is not finite');
  }
  if (typeof value === 'string') {
    return value.isWellFormed() ? value : fault(reading, node, 'the text holds half a character');
  }
  if (typeof value === 'boolean' || value === null) return value;
  return fault(reading, node, 'the value is no JSON value');
}

function findOffset(targets: ReadonlyMap<Alias, Node>, root: Node, tokens: Tokens): number {
  let node: Node | undefined = root;
  let offset = startOf(root) ?? 0;
  for (const token of tokens) {
    const step = stepInto(targets, node, token);
    if (step === undefined) break;
    offset = step.offset ?? offset;
    node = step.node;
  }
  return offset;
}

function stepInto(
  targets: ReadonlyMap<Alias, Node>,
  from: Node | undefined,
  token: string | number,
): { readonly offset: number | undefined; readonly node: Node | undefined } | undefined {
  const node = isAlias(from) ? targets.get(from) : from;
  if (isSeq(node)) {
    const item = node.items[Number(token)] as Node | undefined;
    return item === undefined ? undefined : { offset: startOf(item), node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((candidate) => keyOf(candidate) === String(token));
  return pair === undefined
    ? undefined
    : { offset: startOf(pair.key), node: (pair.value ?? undefined) as Node | undefined };
}
