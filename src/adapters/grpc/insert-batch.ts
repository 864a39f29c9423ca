import { PbfReader, PbfWriter } from 'pbf';

/** `wyrd.v1.InsertBatchRequest` (docs/spec/wire.md §9.1). */
export interface InsertBatch {
  readonly table: string;
  readonly arrow_ipc: Uint8Array;
  /** 16 bytes of a UUIDv7. */
  readonly batch_id: Uint8Array;
}

/** Unknown fields are passed over. Throws on bytes that are no message. */
export function readInsertBatch(bytes: Uint8Array): InsertBatch {
  const reader = new PbfReader(bytes);
  let [table, arrow_ipc, batch_id]: [string, Uint8Array, Uint8Array] = ['', new Uint8Array(), new Uint8Array()];
  reader.readFields((tag) => {
    if (tag === 1) table = reader.readString();
    else if (tag === 2) arrow_ipc = reader.readBytes();
    else if (tag === 3) batch_id = reader.readBytes();
  }, undefined);
  if (reader.pos > bytes.length) throw new Error('a field is longer than its message');
  return { table, arrow_ipc, batch_id };
}

/** `wyrd.v1.InsertBatchResponse`. */
export function writeInserted(batchId: Uint8Array): Buffer {
  const writer = new PbfWriter();
  writer.writeBytesField(1, batchId);
  return Buffer.from(writer.finish());
}
