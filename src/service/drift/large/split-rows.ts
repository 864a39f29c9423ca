import type { IngestedRow } from '../../ports/large-windows.ts';
import type { FeatureValue } from '../../ports/observations.ts';
import { digestParts, partOfRecord } from '../rows-digest.ts';

/** The share of a record: all its rows are in one, and shares are whole parts of the digest, in their order. */
function shareOfRecord(recordId: string, shares: number): number {
  return Math.floor((partOfRecord(recordId) * shares) / digestParts);
}

/** Rows in sections, one a share: each a line of what one check asks of it. */
export interface SplitRows {
  add(row: IngestedRow): void;
  pack(): Uint8Array;
}

/** Sections one after another, behind the offsets where each begins and where the last ends (unsigned 32 bits). */
export function splitRows(features: readonly string[], shares: number): SplitRows {
  const places = new Map(features.map((feature, index) => [feature, index]));
  const sections: string[][] = Array.from({ length: shares }, () => []);
  return {
    add({ record_id, order, features: sent }) {
      const values: (number | FeatureValue)[] = [];
      for (const [name, value] of sent) {
        const place = places.get(name);
        if (place !== undefined) values.push(place, value);
      }
      sections[shareOfRecord(record_id, shares)]?.push(JSON.stringify([record_id, order, ...values]));
    },
    pack() {
      const packed = sections.map((lines) => Buffer.from(lines.join('\n')));
      const header = Buffer.alloc(headerBytes(shares));
      let at = header.byteLength;
      for (const [index, { byteLength }] of packed.entries()) {
        header.writeUInt32LE(at, index * 4);
        at += byteLength;
      }
      header.writeUInt32LE(at, shares * 4);
      return Buffer.concat([header, ...packed]);
    },
  };
}

export function headerBytes(shares: number): number {
  return (shares + 1) * 4;
}

/** Where the section of a share stands. */
export function sectionSpan(header: Uint8Array, share: number): { readonly from: number; readonly to: number } {
  const offsets = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  return { from: offsets.readUInt32LE(share * 4), to: offsets.readUInt32LE(share * 4 + 4) };
}

/** The rows of a section, as they were added. */
export function* readSection(section: Uint8Array, features: readonly string[]): Iterable<IngestedRow> {
  const text = Buffer.from(section.buffer, section.byteOffset, section.byteLength).toString('utf8');
  if (text === '') return;
  for (const line of text.split('\n')) {
    const [record_id, order, ...values] = JSON.parse(line) as [string, string, ...FeatureValue[]];
    const sent: [string, FeatureValue][] = [];
    for (let at = 0; at < values.length; at += 2) {
      sent.push([features[Number(values[at])] ?? '', values[at + 1] ?? null]);
    }
    yield { record_id, order, features: sent };
  }
}
