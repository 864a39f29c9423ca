import { sha256 } from '@noble/hashes/sha2.js';

/**
 * Merkle trees by RFC 9162 §2.1 (docs/spec/records.md §2): SHA-256, leaf `H(0x00 ‖ data)`, node `H(0x01 ‖ left ‖ right)`,
 * the left subtree the largest power of two below the size. Hashes are 32 bytes.
 */
export type Hash = Uint8Array;

export const emptyRoot: Hash = sha256(new Uint8Array());

export function leafHash(data: Uint8Array): Hash {
  return sha256(concat(Uint8Array.of(0), data));
}

function nodeHash(left: Hash, right: Hash): Hash {
  return sha256(concat(Uint8Array.of(1), left, right));
}

/** All levels of a tree, leaves first: what a root and any number of proofs are read from. */
export interface Tree {
  readonly levels: readonly (readonly Hash[])[];
}

export function buildTree(leaves: readonly Hash[]): Tree {
  const levels: (readonly Hash[])[] = [leaves];
  for (let level = leaves; level.length > 1; ) {
    level = pairUp(level);
    levels.push(level);
  }
  return { levels };
}

/** A last node without a partner moves up as it is; that is the same tree as RFC 9162 splits from above. */
function pairUp(level: readonly Hash[]): readonly Hash[] {
  const above: Hash[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const left = level[index];
    const right = level[index + 1];
    if (left !== undefined) above.push(right === undefined ? left : nodeHash(left, right));
  }
  return above;
}

export function rootOf(tree: Tree): Hash {
  return tree.levels.at(-1)?.[0] ?? emptyRoot;
}

/** Siblings from the leaf upwards (RFC 9162 §2.1.3.1); null when there is no such leaf. */
export function inclusionProof(tree: Tree, index: number): readonly Hash[] | null {
  if (index < 0 || index >= (tree.levels[0]?.length ?? 0)) return null;
  const path: Hash[] = [];
  let position = index;
  for (const level of tree.levels) {
    const sibling = level[position ^ 1];
    if (sibling !== undefined && level.length > 1) path.push(sibling);
    position = Math.floor(position / 2);
  }
  return path;
}

/** RFC 9162 §2.1.3.2. Proofs are hostile: any length and any bytes are answered, never thrown at. */
export function isIncluded(
  proof: { readonly index: number; readonly size: number; readonly path: readonly Hash[] },
  leaf: Hash,
  root: Hash,
): boolean {
  const { index, size, path } = proof;
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  let hash = leaf;
  const reachesRoot = climb(path, index, size - 1, (sibling, isLeft) => {
    hash = isLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
  });
  return reachesRoot && isSame(hash, root);
}

/**
 * Walks a proof from a node towards the root, telling on which side each sibling stands. False: the path is too long or
 * too short for the tree.
 */
function climb(
  path: readonly Hash[],
  start: number,
  lastOfLevel: number,
  visit: (sibling: Hash, isLeft: boolean) => void,
): boolean {
  let position = start;
  let last = lastOfLevel;
  for (const sibling of path) {
    if (last === 0) return false;
    const isLeft = position % 2 === 1 || position === last;
    visit(sibling, isLeft);
    // Levels where this node had no partner added nothing to the path.
    while (isLeft && position % 2 === 0 && position !== 0) {
      position /= 2;
      last = Math.floor(last / 2);
    }
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  return last === 0;
}

/** Nodes that lead from the tree of the first `from` leaves to the whole tree (RFC 9162 §2.1.4.1); null outside 1 … size. */
export function consistencyProof(tree: Tree, from: number): readonly Hash[] | null {
  const size = tree.levels[0]?.length ?? 0;
  if (from < 1 || from > size) return null;
  return from === size ? [] : subProof(tree, 0, size, from, true);
}

function subProof(tree: Tree, start: number, size: number, from: number, isWhole: boolean): readonly Hash[] {
  if (from === size) return isWhole ? [] : [subtreeRoot(tree, start, size)];
  const split = largestPowerBelow(size);
  if (from <= split) {
    return [...subProof(tree, start, split, from, isWhole), subtreeRoot(tree, start + split, size - split)];
  }
  return [...subProof(tree, start + split, size - split, from - split, false), subtreeRoot(tree, start, split)];
}

function subtreeRoot(tree: Tree, start: number, size: number): Hash {
  const height = Math.ceil(Math.log2(size));
  return tree.levels[height]?.[start / 2 ** height] ?? emptyRoot;
}

/** RFC 9162 §2.1.4.2. */
export function isConsistent(
  proof: { readonly from: number; readonly to: number; readonly path: readonly Hash[] },
  fromRoot: Hash,
  toRoot: Hash,
): boolean {
  const { from, to, path } = proof;
  if (!isCount(from) || !isCount(to) || from < 1 || from > to) return false;
  if (from === to) return path.length === 0 && isSame(fromRoot, toRoot);
  // The root of a full tree is itself a node of the larger one, so the proof leaves it out.
  const [first, ...rest] = Number.isInteger(Math.log2(from)) ? [fromRoot, ...path] : path;
  if (first === undefined) return false;
  let height = 0;
  while (Math.floor((from - 1) / 2 ** height) % 2 === 1) height += 1;
  let older = first;
  let newer = first;
  const start = Math.floor((from - 1) / 2 ** height);
  const reachesRoot = climb(rest, start, Math.floor((to - 1) / 2 ** height), (sibling, isLeft) => {
    if (isLeft) older = nodeHash(sibling, older);
    newer = isLeft ? nodeHash(sibling, newer) : nodeHash(newer, sibling);
  });
  return reachesRoot && isSame(older, fromRoot) && isSame(newer, toRoot);
}

function largestPowerBelow(size: number): number {
  return 2 ** (Math.ceil(Math.log2(size)) - 1);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isSame(left: Hash, right: Hash): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
