/**
 * What crosses the pipes between a host and its reader of Parquet: kind (one byte), length (unsigned 32 bits, little
 * endian), payload. Texts are JSON. The reader has seen a hostile file: the host believes none of what it says.
 */
export const kinds = {
  /** Host: {size_bytes}. Answered by `table` or `failed`. */
  open: 1,
  /** Host: {name}. Answered by any number of `numbers` and `values`, then `end` or `failed`. */
  column: 2,
  /** Host: bytes that were asked for, in order, in one frame or more. */
  bytes: 3,
  /** Reader: {from, to}; it waits for these bytes. */
  read: 4,
  /** Reader: {rows, columns}. */
  table: 5,
  /** Reader: doubles, little endian. */
  numbers: 6,
  /** Reader: a list of texts, numbers, booleans and nulls. */
  values: 7,
  end: 8,
  failed: 9,
} as const;

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

/** Bytes of one payload. */
export const mostPayload = 8 * 1_048_576;
const headerBytes = 5;

export function encodeFrame(kind: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(kind, 0);
  header.writeUInt32LE(payload.byteLength, 1);
  return Buffer.concat([header, payload]);
}

export function jsonFrame(kind: number, value: unknown): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(value)));
}

/** Throws on a payload above the bound, before any of it is held. */
export async function* framesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let held: Buffer[] = [];
  let size = 0;
  let wanted = headerBytes;
  for await (const chunk of stream) {
    held.push(chunk);
    size += chunk.byteLength;
    while (size >= wanted) {
      const all = held.length === 1 ? (held[0] ?? chunk) : Buffer.concat(held);
      held = [all];
      const length = all.readUInt32LE(1);
      if (length > mostPayload) throw new Error('a frame is above its bound');
      wanted = headerBytes + length;
      if (size < wanted) break;
      yield { kind: all.readUInt8(0), payload: all.subarray(headerBytes, wanted) };
      held = [all.subarray(wanted)];
      size -= wanted;
      wanted = headerBytes;
    }
  }
}
