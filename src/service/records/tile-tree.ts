import { hash } from 'node:crypto';
import type { Tile, TilePlace } from '../ports/checkpoints.ts';

/**
 * A Merkle tree by RFC 9162 §2.1 in tiles: complete nodes of the levels 0, 8, 16, … in runs of 256, so that any root or
 * proof is read from a few tiles (docs/decisions/records-storage.md). Node and leaf hashes are those of
 * src/engine/record/merkle.ts; a property test holds the two equal.
 */
const tileWidth = 256;
const tileHeight = 8;
const hashBytes = 32;

/** Leaves from `start` on, `size` of them; `start` is a multiple of the power of two at or above `size`. */
export interface Span {
  readonly start: number;
  readonly size: number;
}

export function leafHashOf(sha256: string): Uint8Array {
  return hash('sha256', Buffer.from(`00${sha256}`, 'hex'), 'buffer');
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + 2 * hashBytes);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + hashBytes);
  return hash('sha256', bytes, 'buffer');
}

export const emptyRootHex = hash('sha256', Buffer.alloc(0), 'hex');

/** Siblings of a leaf from below upwards (RFC 9162 §2.1.3.1). */
export function inclusionSpans(index: number, size: number): readonly Span[] {
  const path: Span[] = [];
  let whole: Span = { start: 0, size };
  while (whole.size > 1) {
    const [left, right] = halves(whole);
    const isLeft = index < right.start;
    path.push(isLeft ? right : left);
    whole = isLeft ? left : right;
  }
  return path.reverse();
}

/** Nodes between the trees of the first `from` and `to` leaves (RFC 9162 §2.1.4.1), 1 ≤ from ≤ to. */
export function consistencySpans(from: number, to: number): readonly Span[] {
  const path: Span[] = [];
  let whole: Span = { start: 0, size: to };
  // Whether the older tree's root is itself the node that is reached: then its reader has it.
  let isRoot = true;
  while (whole.start + whole.size !== from) {
    const [left, right] = halves(whole);
    const isLeft = from <= right.start;
    path.push(isLeft ? right : left);
    whole = isLeft ? left : right;
    isRoot &&= isLeft;
  }
  return isRoot ? path.reverse() : [whole, ...path.reverse()];
}

function halves({ start, size }: Span): readonly [Span, Span] {
  const split = 2 ** (Math.ceil(Math.log2(size)) - 1);
  return [
    { start, size: split },
    { start: start + split, size: size - split },
  ];
}

/** Tiles that the hash of a span is computed from. */
export function placesOf(span: Span): readonly TilePlace[] {
  return completeSpans(span).map(placeOf);
}

/** Throws when a tile is missing or too short: the store has lost what it had. */
export function hashOfSpan(span: Span, tiles: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const hashes = completeSpans(span).map((one) => hashOfComplete(one, tiles));
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

export const tileKey = ({ level, position }: TilePlace) => `${level}/${position}`;

/** The largest complete subtrees from left to right. */
function completeSpans({ start, size }: Span): readonly Span[] {
  const spans: Span[] = [];
  for (let at = start, left = size; left > 0; ) {
    const part = 2 ** Math.floor(Math.log2(left));
    spans.push({ start: at, size: part });
    at += part;
    left -= part;
  }
  return spans;
}

function placeOf({ start, size }: Span): TilePlace {
  const level = Math.floor(Math.log2(size) / tileHeight);
  return { level, position: Math.floor(start / tileWidth ** (level + 1)) };
}

function hashOfComplete(span: Span, tiles: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const place = placeOf(span);
  const unit = tileWidth ** place.level;
  const from = (span.start / unit) % tileWidth;
  const count = span.size / unit;
  const hashes = splitHashes(tiles.get(tileKey(place))).slice(from, from + count);
  if (hashes.length !== count) throw new Error(`tile ${tileKey(place)} of the log is not whole`);
  return rootOfComplete(hashes);
}

function rootOfComplete(hashes: readonly Uint8Array[]): Uint8Array {
  let level = hashes;
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const [left, right] = [level[index], level[index + 1]];
      if (left !== undefined && right !== undefined) above.push(nodeHash(left, right));
    }
    level = above;
  }
  const [root] = level;
  if (root === undefined) throw new Error('no hashes');
  return root;
}

function splitHashes(bytes: Uint8Array | undefined): readonly Uint8Array[] {
  const count = (bytes?.length ?? 0) / hashBytes;
  return Array.from({ length: count }, (_unused, index) =>
    (bytes ?? new Uint8Array()).subarray(index * hashBytes, (index + 1) * hashBytes),
  );
}

/** The tiles that are not full in a tree of this size: appending goes on in them. */
export function openPlaces(size: number): readonly TilePlace[] {
  const places: TilePlace[] = [];
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / tileWidth)) {
    if (count % tileWidth !== 0) places.push({ level, position: Math.floor(count / tileWidth) });
  }
  return places;
}

/** Every tile that is new or longer after these leaves; `open` holds the tiles of `openPlaces(size)`. */
export function appendLeaves(
  size: number,
  leaves: readonly Uint8Array[],
  open: ReadonlyMap<string, Uint8Array>,
): readonly Tile[] {
  const changed: Tile[] = [];
  let added = leaves;
  for (let level = 0, count = size; added.length > 0; level += 1, count = Math.floor(count / tileWidth)) {
    const position = Math.floor(count / tileWidth);
    const held = splitHashes(open.get(tileKey({ level, position }))).slice(0, count % tileWidth);
    if (held.length !== count % tileWidth) throw new Error(`tile ${level}/${position} of the log is not whole`);
    const all = [...held, ...added];
    const roots: Uint8Array[] = [];
    for (let from = 0; from < all.length; from += tileWidth) {
      const hashes = all.slice(from, from + tileWidth);
      changed.push({ level, position: position + from / tileWidth, hashes: Buffer.concat(hashes) });
      if (hashes.length === tileWidth) roots.push(rootOfComplete(hashes));
    }
    added = roots;
  }
  return changed;
}
