import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildTree,
  consistencyProof,
  emptyRoot,
  type Hash,
  inclusionProof,
  isConsistent,
  isIncluded,
  leafHash,
  rootOf,
} from '#engine/record/merkle.ts';

/** The leaves and roots that implementations of RFC 6962 and RFC 9162 share as test vectors. */
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (hex) => leafHash(hexToBytes(hex)),
);
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

describe('the published vectors', () => {
  test('of the empty tree', () => {
    expect(bytesToHex(emptyRoot)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(rootOf(buildTree([]))).toEqual(emptyRoot);
  });

  test.each(roots.map((root, index) => [index + 1, root] as const))('of %i leaves', (size, root) => {
    expect(bytesToHex(rootOf(buildTree(leaves.slice(0, size))))).toBe(root);
  });

  test.each<[number, number, readonly string[]]>([
    [
      0,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      5,
      8,
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  ])('inclusion of leaf %i in %i', (index, size, path) => {
    expect(inclusionProof(buildTree(leaves.slice(0, size)), index)?.map(bytesToHex)).toEqual(path);
  });

  test.each<[number, number, readonly string[]]>([
    [
      1,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      6,
      8,
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      2,
      5,
      [
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('consistency of %i with %i', (from, to, path) => {
    expect(consistencyProof(buildTree(leaves.slice(0, to)), from)?.map(bytesToHex)).toEqual(path);
  });
});

const many = Array.from({ length: 70 }, (_, index) => leafHash(Uint8Array.of(index)));
const rootAt = (size: number) => rootOf(buildTree(many.slice(0, size)));

describe('a proof', () => {
  test('of every leaf in every tree holds, and for no other leaf, size or root', () => {
    for (let size = 1; size <= 40; size += 1) {
      const tree = buildTree(many.slice(0, size));
      for (let index = 0; index < size; index += 1) {
        const path = inclusionProof(tree, index) ?? [];
        const leaf = many[index] as Hash;
        expect(isIncluded({ index, size, path }, leaf, rootOf(tree))).toBe(true);
        expect(isIncluded({ index, size, path }, many[index + 1] as Hash, rootOf(tree))).toBe(false);
        expect(isIncluded({ index, size, path: [...path, leaf] }, leaf, rootOf(tree))).toBe(false);
        if (size > 1) expect(isIncluded({ index, size, path: path.slice(1) }, leaf, rootOf(tree))).toBe(false);
        expect(isIncluded({ index, size, path }, leaf, rootAt(size + 1))).toBe(false);
      }
    }
  });

  test('of every two sizes holds, and for no other root', () => {
    for (let to = 1; to <= 40; to += 1) {
      const tree = buildTree(many.slice(0, to));
      for (let from = 1; from <= to; from += 1) {
        const path = consistencyProof(tree, from) ?? [];
        expect(isConsistent({ from, to, path }, rootAt(from), rootAt(to))).toBe(true);
        expect(isConsistent({ from, to, path }, rootAt(from + 1), rootAt(to))).toBe(false);
        expect(isConsistent({ from, to, path }, rootAt(from), rootAt(to + 1))).toBe(false);
        if (path.length > 0)
          expect(isConsistent({ from, to, path: path.slice(0, -1) }, rootAt(from), rootAt(to))).toBe(false);
      }
    }
  });

  test('that is nonsense is answered, never thrown at', () => {
    const hash = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(
        fc.double(),
        fc.double(),
        fc.array(hash, { maxLength: 9 }),
        hash,
        hash,
        (index, size, path, leaf, root) => {
          expect(typeof isIncluded({ index, size, path }, leaf, root)).toBe('boolean');
          expect(typeof isConsistent({ from: index, to: size, path }, leaf, root)).toBe('boolean');
        },
      ),
    );
  });

  test('outside the tree does not exist', () => {
    const tree = buildTree(many.slice(0, 3));
    expect([
      inclusionProof(tree, 3),
      inclusionProof(tree, -1),
      consistencyProof(tree, 0),
      consistencyProof(tree, 4),
    ]).toEqual([null, null, null, null]);
  });
});
