import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  snappyUncompress,
} from 'hyparquet';
import { encodeFrame, type Frame, framesOf, jsonFrame, kinds } from './frames.ts';
import { checkChunks, checkMetadata } from './metadata-bounds.ts';

/**
 * The process that reads hostile Parquet files (docs/spec/background.md §6.5). It may run out of memory or time at any
 * page: its host bounds both, and gives it nothing but pipes.
 */
const most = {
  footer: 16 * 1_048_576,
  page: 256 * 1_048_576,
  /** Numbers, or other values, of one frame. */
  numbers: 65_536,
  values: 1_024,
  /** Code units of a text; 1,024 of these may be more than a frame, and the host then refuses it. */
  text: 4_096,
};

const received = framesOf(process.stdin as AsyncIterable<Buffer>);

async function next(): Promise<Frame> {
  const { value, done } = await received.next();
  // The host is gone.
  if (done) process.exit(0);
  return value;
}

function send(frame: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(frame, (error) => (error ? reject(error) : resolve()));
  });
}

/** One at a time: answers carry no number. */
let asking: Promise<unknown> = Promise.resolve();

function ask(from: number, to: number): Promise<ArrayBuffer> {
  const answer = asking.then(async () => {
    const bytes = new Uint8Array(to - from);
    await send(jsonFrame(kinds.read, { from, to }));
    for (let at = 0; at < bytes.byteLength; ) {
      const { payload } = await next();
      bytes.set(payload, at);
      at += payload.byteLength;
    }
    return bytes.buffer;
  });
  asking = answer.catch(() => undefined);
  return answer;
}

interface Open {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
}

async function open(size: number): Promise<Open> {
  const tail = Buffer.from(await ask(size - 8, size));
  const length = tail.readUInt32LE(0);
  const isParquet = tail.subarray(4).toString('latin1') === 'PAR1';
  // The footer's length is the file's own word: a hostile one would be read whole.
  if (!isParquet || length > most.footer || length > size - 12) throw new Error('no footer');
  const file = { byteLength: size, slice: (from: number, to = size) => ask(Math.max(0, from), Math.min(to, size)) };
  const metadata = await parquetMetadataAsync(file);
  checkMetadata(metadata);
  const columns = parquetSchema(metadata).children.filter(({ children }) => children.length === 0);
  const names = columns.map(({ element }) => element.name);
  await send(jsonFrame(kinds.table, { rows: Number(metadata.num_rows), columns: names }));
  return { file, metadata };
}

/** One row group at a time, so that no file is held whole. */
async function sendColumn({ file, metadata }: Open, name: string): Promise<void> {
  for (const group of metadata.row_groups) {
    const chunks: ArrayLike<unknown>[] = [];
    const onChunk = ({ columnData }: { readonly columnData: ArrayLike<unknown> }) => void chunks.push(columnData);
    // A file of one group: of very many, finding each among all would take as long as reading them.
    const alone = { ...metadata, row_groups: [group], num_rows: group.num_rows };
    const rowEnd = Number(group.num_rows);
    checkChunks(group, name);
    if (rowEnd > 0) await parquetRead({ file, metadata: alone, columns: [name], compressors, rowEnd, onChunk });
    for (const chunk of chunks) await sendChunk(chunk);
  }
  await send(encodeFrame(kinds.end, Buffer.alloc(0)));
}

async function sendChunk(chunk: ArrayLike<unknown>): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const numbers = numbersFrom(chunk, at);
    if (numbers.length > 0) {
      await send(encodeFrame(kinds.numbers, new Uint8Array(numbers.buffer, 0, numbers.byteLength)));
      at += numbers.length;
    } else {
      const end = Math.min(chunk.length, at + most.values);
      const values = Array.from({ length: end - at }, (_unused, index) => toValue(chunk[at + index]));
      await send(jsonFrame(kinds.values, values));
      at = end;
    }
  }
}

const none = new Float64Array(0);

/** The numbers that stand from here on; none when another value stands here. */
function numbersFrom(chunk: ArrayLike<unknown>, from: number): Float64Array {
  const first = typeof chunk[from];
  if (first !== 'number' && first !== 'bigint') return none;
  const numbers = new Float64Array(Math.min(most.numbers, chunk.length - from));
  for (let index = 0; index < numbers.length; index += 1) {
    const value = chunk[from + index];
    if (typeof value === 'number') numbers[index] = value;
    else if (typeof value === 'bigint') numbers[index] = Number(value);
    else return numbers.subarray(0, index);
  }
  return numbers;
}

/** Dates, lists and bytes are nothing that drift is measured on. */
function toValue(value: unknown): number | string | boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' && value.length > most.text) throw new Error('a text is above its bound');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : false;
}

/** What a page claims to inflate to is bounded before room is made for it. */
const compressors: Compressors = {
  SNAPPY: (input, length) => {
    const output = new Uint8Array(bounded(length));
    snappyUncompress(input, output);
    return output;
  },
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: bounded(length) }),
  ZSTD: (input, length) => zstdDecompressSync(input, { maxOutputLength: bounded(length) }),
};

function bounded(length: number): number {
  if (!(length > 0) || length > most.page) throw new Error('a page inflates too far');
  return length;
}

try {
  let opened: Open | null = null;
  for (;;) {
    const { kind, payload } = await next();
    const asked = JSON.parse(payload.toString('utf8'));
    if (kind === kinds.open) opened = await open(asked.size_bytes);
    else if (opened !== null) await sendColumn(opened, asked.name);
  }
} catch {
  await send(encodeFrame(kinds.failed, Buffer.alloc(0)));
  process.exit(1);
}
