import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  Field,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { PbfReader, PbfWriter } from 'pbf';

/** What the published client does when it flushes samples: rows as Arrow, a message, a call. */
export interface Row {
  readonly record_id: string;
  readonly series: string;
  readonly num_value: number | null;
  readonly str_value: string | null;
  readonly card_uid: string;
  readonly run_id: string | null;
  /** Microseconds. */
  readonly created_at: bigint;
}

const fields = [
  new Field('record_id', new Utf8(), false),
  new Field('series', new Utf8(), false),
  new Field('num_value', new Float64(), true),
  new Field('str_value', new Utf8(), true),
  new Field('card_uid', new Utf8(), true),
  new Field('run_id', new Utf8(), true),
  new Field('created_at', new TimestampMicrosecond('+00:00'), false),
];

export function arrowOf(rows: readonly Row[]): Uint8Array {
  const children = fields.map(({ name, type }) => {
    const values = rows.map((row) => row[name as keyof Row]);
    // The vector's timestamps are given in milliseconds.
    const given = name === 'created_at' ? values.map((value) => Number(value) / 1_000) : values;
    return vectorFromArray(given, type).data[0];
  });
  const struct = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children: children as never });
  return RecordBatchStreamWriter.writeAll([new RecordBatch(new Schema(fields), struct as never)]).toUint8Array(true);
}

export function insertMessage(table: string, arrow: Uint8Array, batchId: Uint8Array): Buffer {
  const writer = new PbfWriter();
  writer.writeStringField(1, table);
  writer.writeBytesField(2, arrow);
  writer.writeBytesField(3, batchId);
  return Buffer.from(writer.finish());
}

export const table = 'vala.drift.observations';
const bytes = (value: Buffer) => value;

/** Answers the batch id of the answer, or the refusal. */
export function insertOverGrpc(port: number, body: Buffer, token?: string): Promise<Uint8Array | ServiceError> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('x-wyrd-access-token', `Bearer ${token}`);
  return new Promise((resolve) => {
    const path = '/wyrd.v1.BifrostIngestService/InsertBatch';
    client.makeUnaryRequest(path, bytes, bytes, body, metadata, (error, answer) => {
      client.close();
      if (error !== null) return resolve(error);
      const found: { id?: Uint8Array } = {};
      new PbfReader(answer ?? Buffer.alloc(0)).readFields((tag, _result, reader) => {
        if (tag === 1 && reader !== undefined) found.id = reader.readBytes();
      }, undefined);
      return resolve(found.id ?? new Uint8Array());
    });
  });
}

/** Two features of one record. */
export const rowsOf = (uid: string, record: string): readonly Row[] => [
  {
    record_id: record,
    series: 'latency',
    num_value: 118.5,
    str_value: '118.5',
    card_uid: uid,
    run_id: 'r',
    created_at: 1_777_881_600_000_250n,
  },
  {
    record_id: record,
    series: 'tier',
    num_value: null,
    str_value: 'gold',
    card_uid: uid,
    run_id: 'r',
    created_at: 1_777_881_600_000_250n,
  },
];
