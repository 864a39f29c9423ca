import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTree, consistencyProof, inclusionProof, leafHash, rootOf } from '#engine/record/merkle.ts';
import type { Tile } from '#service/ports/checkpoints.ts';
import {
  appendLeaves,
  consistencySpans,
  hashOfSpan,
  inclusionSpans,
  leafHashOf,
  openPlaces,
  placesOf,
  type Span,
  tileKey,
} from '#service/records/tile-tree.ts';

const digests = Array.from({ length: 70_000 }, (_unused, index) =>
  createHash('sha256').update(String(index)).digest('hex'),
);
const leaves = digests.map(leafHashOf);

/** A log that grew in these steps; only what a reader may ask for is ever looked at. */
function grown(steps: readonly number[]) {
  const held = new Map<string, Uint8Array>();
  let size = 0;
  for (const step of steps) {
    const open = new Map(
      openPlaces(size).map((place) => [tileKey(place), held.get(tileKey(place)) ?? new Uint8Array()]),
    );
    const changed: readonly Tile[] = appendLeaves(size, leaves.slice(size, size + step), open);
    for (const tile of changed) held.set(tileKey(tile), tile.hashes);
    size += step;
  }
  const hashOf = (span: Span) => {
    const needed = new Map(
      placesOf(span).map((place) => [tileKey(place), held.get(tileKey(place)) ?? new Uint8Array()]),
    );
    return Buffer.from(hashOfSpan(span, needed)).toString('hex');
  };
  return { size, hashOf };
}

const hexOf = (hashes: readonly Uint8Array[] | null) => hashes?.map((hash) => Buffer.from(hash).toString('hex'));

describe('a tree in tiles', () => {
  it('hashes leaves as the engine does', () => {
    expect(leafHashOf(digests[7] ?? '')).toEqual(Buffer.from(leafHash(Buffer.from(digests[7] ?? '', 'hex'))));
  });

  it('has the roots and proofs of RFC 9162 in whatever steps it grew', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(steps, fc.nat(), fc.nat(), (given, leaf, part) => {
        const { size, hashOf } = grown(given);
        if (size === 0) return;
        const tree = buildTree(leaves.slice(0, size));
        expect(hashOf({ start: 0, size })).toBe(Buffer.from(rootOf(tree)).toString('hex'));
        const index = leaf % size;
        expect(inclusionSpans(index, size).map(hashOf)).toEqual(hexOf(inclusionProof(tree, index)));
        const from = 1 + (part % size);
        expect(consistencySpans(from, size).map(hashOf)).toEqual(hexOf(consistencyProof(tree, from)));
        // The tree of any size it has had is still there.
        expect(hashOf({ start: 0, size: from })).toBe(
          Buffer.from(rootOf(buildTree(leaves.slice(0, from)))).toString('hex'),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('has them over more than two levels of tiles', () => {
    const { size, hashOf } = grown([65_535, 1, 1, 4_000]);
    const tree = buildTree(leaves.slice(0, size));
    expect(hashOf({ start: 0, size })).toBe(Buffer.from(rootOf(tree)).toString('hex'));
    for (const index of [0, 255, 256, 65_535, 65_536, size - 1]) {
      expect(inclusionSpans(index, size).map(hashOf)).toEqual(hexOf(inclusionProof(tree, index)));
    }
    for (const from of [1, 256, 65_536, 65_537, size]) {
      expect(consistencySpans(from, size).map(hashOf)).toEqual(hexOf(consistencyProof(tree, from)));
    }
  });

  it('refuses to compute on tiles that lost a hash', () => {
    expect(() => hashOfSpan({ start: 0, size: 2 }, new Map([['0/0', leaves[0] ?? new Uint8Array()]]))).toThrow(
      'not whole',
    );
    expect(() => appendLeaves(3, [leaves[3] ?? new Uint8Array()], new Map())).toThrow('not whole');
  });
});
