import type { IngestedRow, LargeWindows, PiecePlace, WindowPieces } from '#service/ports/large-windows.ts';

/** Pieces in memory: the contract of test/ports/window-pieces.ts without a store. */
export function memoryPieces(): WindowPieces {
  const held = new Map<string, Uint8Array>();
  const prefixOf = (place: PiecePlace) => `${JSON.stringify(Object.values(place))}/`;
  return {
    async put(place, name, bytes) {
      held.set(`${prefixOf(place)}${name}`, bytes.slice());
    },
    async read(place, name, span) {
      const piece = held.get(`${prefixOf(place)}${name}`);
      return piece === undefined ? null : piece.slice(span?.from ?? 0, span?.to ?? piece.byteLength);
    },
    async names(place) {
      const prefix = prefixOf(place);
      return new Set([...held.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
    },
  };
}

/** A window whose batches are these, in the order of ingest; each range is one of them. */
export function memoryWindows(batches: readonly (readonly IngestedRow[])[], part_rows: number): LargeWindows {
  return {
    part_rows,
    pieces: memoryPieces(),
    ranges: {
      of: async () => batches.map((rows, index) => ({ from: String(index), to: String(index), rows: rows.length })),
      async *rows(_tenant, _subject, { from, to }) {
        yield* batches.slice(Number(from), Number(to) + 1);
      },
    },
  };
}
