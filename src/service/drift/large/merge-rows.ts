import TinyQueue from 'tinyqueue';
import type { LargeWindows, PiecePlace } from '../../ports/large-windows.ts';
import type { FeatureValue } from '../../ports/observations.ts';
import { inRowOrder } from '../gather-rows.ts';

/** Bytes of all shares together that are held at a time. */
const heldBytes = 64 * 1_048_576;

interface OrderedRow {
  readonly order: string;
  readonly record_id: string;
  readonly values: readonly FeatureValue[];
}

/** Rows of all shares in row order; each share is read as it is used up. */
export async function* mergeRows(
  large: LargeWindows,
  place: PiecePlace,
  names: readonly string[],
): AsyncIterable<OrderedRow> {
  const step = Math.max(65_536, Math.floor(heldBytes / names.length));
  const heads = new TinyQueue<Head>([], (one, other) => inRowOrder(one.row, other.row));
  const first = await Promise.all(names.map((name) => nextRow(chunksOf(large, place, name, step))));
  for (const head of first) if (head) heads.push(head);
  for (let head = heads.pop(); head; head = heads.pop()) {
    yield head.row;
    const next =
      head.at + 1 < head.chunk.length ? headAt(head.chunks, head.chunk, head.at + 1) : await nextRow(head.chunks);
    if (next) heads.push(next);
  }
}

interface Head {
  readonly chunks: AsyncIterator<readonly string[]>;
  readonly chunk: readonly string[];
  readonly at: number;
  readonly row: OrderedRow;
}

async function nextRow(chunks: AsyncIterator<readonly string[]>): Promise<Head | null> {
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) return null;
    if (value.length > 0) return headAt(chunks, value, 0);
  }
}

function headAt(chunks: Head['chunks'], chunk: readonly string[], at: number): Head {
  const [order, record_id, ...values] = JSON.parse(chunk[at] ?? '') as [string, string, ...FeatureValue[]];
  return { chunks, chunk, at, row: { order, record_id, values } };
}

/** Whole lines of a piece, some bytes at a time. */
async function* chunksOf(
  { pieces }: LargeWindows,
  place: PiecePlace,
  name: string,
  step: number,
): AsyncGenerator<readonly string[]> {
  let rest = Buffer.alloc(0);
  for (let from = 0; ; from += step) {
    const bytes = await pieces.read(place, name, { from, to: from + step });
    if (bytes === null) throw new Error(`the window has no piece ${name}`);
    const all = Buffer.concat([rest, bytes]);
    const end = all.lastIndexOf(0x0a) + 1;
    rest = all.subarray(end);
    if (end > 0)
      yield all
        .subarray(0, end - 1)
        .toString('utf8')
        .split('\n');
    if (bytes.byteLength < step) return;
  }
}
