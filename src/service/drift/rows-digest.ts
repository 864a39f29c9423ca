import { createHash, type Hash } from 'node:crypto';
import type { FeatureValue } from '../ports/observations.ts';

/** Parts of the digest: records are dealt to them by their ids, so that parts of a window are digested apart. */
export const digestParts = 256;

/** The part of a record: FNV-1a over the code units of its id, folded to a byte. */
export function partOfRecord(recordId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < recordId.length; at += 1) hash = Math.imul(hash ^ recordId.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & 0xff;
}

export interface RowsDigest {
  /** Of each part, in row order. */
  add(recordId: string, values: ReadonlyMap<string, FeatureValue>): void;
  /** SHA-256 in hex of each part from this one up to and without that one. */
  parts(from: number, to: number): readonly string[];
}

/** Which rows a check has seen, and what of them: a line a row, of its id and its values in the order of the features. */
export function rowsDigest(features: readonly string[]): RowsDigest {
  const hashes = new Map<number, Hash>();
  return {
    add(recordId, values) {
      const part = partOfRecord(recordId);
      const hash = hashes.get(part) ?? createHash('sha256');
      hashes.set(part, hash);
      hash.update(`${JSON.stringify([recordId, ...features.map((feature) => values.get(feature) ?? null)])}\n`);
    },
    parts: (from, to) =>
      Array.from({ length: to - from }, (_unused, index) =>
        (hashes.get(from + index)?.copy() ?? createHash('sha256')).digest('hex'),
      ),
  };
}

/** SHA-256 in hex over the digests of all parts, in their order. */
export function digestOfParts(parts: readonly string[]): string {
  return createHash('sha256')
    .update(Buffer.from(parts.join(''), 'hex'))
    .digest('hex');
}
