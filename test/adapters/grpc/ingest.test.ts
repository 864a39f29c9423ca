import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
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
import { parse, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { toBatches } from '#adapters/grpc/batches.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { desk, makeHost, uidsOf } from '#test/support/embedded-host.ts';

interface Row {
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

function arrowOf(rows: readonly Row[]): Uint8Array {
  const children = fields.map(({ name, type }) => {
    const values = rows.map((row) => row[name as keyof Row]);
    // The vector's timestamps are given in milliseconds.
    const given = name === 'created_at' ? values.map((value) => Number(value) / 1_000) : values;
    return vectorFromArray(given, type).data[0];
  });
  const struct = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children: children as never });
  return RecordBatchStreamWriter.writeAll([new RecordBatch(new Schema(fields), struct as never)]).toUint8Array(true);
}

function message(table: string, arrow: Uint8Array, batchId: Uint8Array): Buffer {
  const writer = new PbfWriter();
  writer.writeStringField(1, table);
  writer.writeBytesField(2, arrow);
  writer.writeBytesField(3, batchId);
  return Buffer.from(writer.finish());
}

const table = 'vala.drift.observations';
const bytes = (value: Buffer) => value;

/** Answers the batch id of the answer, or the refusal. */
function insert(port: number, body: Buffer, token?: string): Promise<Uint8Array | ServiceError> {
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

async function openHost() {
  const opened: { store?: Store } = {};
  const host = await makeHost(
    { grpc_port: 0 },
    {
      async openStore(...given) {
        opened.store = await openStore(...given);
        return opened.store;
      },
    },
  );
  const uid = uidsOf(await host.declare(desk()))['desk-agent'] ?? '';
  const token = await host.token(await host.key());
  return { host, uid, port: host.grpc_port ?? 0, token, store: opened.store as Store };
}

const rowsOf = (uid: string, record: string): readonly Row[] => [
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

async function stored(store: Store, uid: string) {
  const rows = [];
  const look = { subject_card_uid: uid, from: 0, to: Date.now() + 1_000, features: ['latency', 'tier'] };
  for await (const row of store.observations.window('local', look)) rows.push(row);
  return rows;
}

describe('samples over gRPC', () => {
  it('are durable when they are answered, and stored once however often they are sent', async () => {
    const { host: opened, uid, port, token, store } = await openHost();
    await using _host = opened;
    const id = parse(v7());
    const body = message(table, arrowOf(rowsOf(uid, 'one')), id);
    for (let time = 0; time < 3; time += 1) expect(await insert(port, body, token)).toEqual(Buffer.from(id));
    expect(await stored(store, uid)).toEqual([
      {
        record_id: 'one',
        values: new Map<string, unknown>([
          ['latency', 118.5],
          ['tier', 'gold'],
        ]),
      },
    ]);
    const [kept] = await store.observations.newest('local', 1);
    expect(kept?.created_at).toMatch(/^2026-05-04T08:00:00\.00025/);
  });

  it('above the limit of a call are taken in several, under ids that are made the same way again', async () => {
    const { host: opened, uid, port, token, store } = await openHost();
    await using _host = opened;
    const rows = Array.from({ length: 2_500 }, (_none, index) => rowsOf(uid, `r${index}`)).flat();
    const body = message(table, arrowOf(rows), parse(v7()));
    for (let time = 0; time < 2; time += 1) expect(await insert(port, body, token)).toHaveLength(16);
    expect(await stored(store, uid)).toHaveLength(2_500);
    const records = Array.from({ length: 2_001 }, () => ({}));
    const ids = toBatches(parse(v7()), records).map(({ batch_id }) => batch_id);
    expect(new Set(ids).size).toBe(3);
    for (const one of ids) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
  });

  it('are refused with the problem in the metadata', async () => {
    const { host: opened, uid, port, token } = await openHost();
    await using _host = opened;
    const good = arrowOf(rowsOf(uid, 'x'));
    const foreign = arrowOf(rowsOf(v7(), 'x'));
    const cases: readonly [Buffer, string | undefined, status, string][] = [
      [message(table, good, parse(v7())), 'wrong', status.UNAUTHENTICATED, 'WYRD_AUTH'],
      [message('other.table', good, parse(v7())), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [message(table, good, new Uint8Array(3)), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [message(table, new Uint8Array(99), parse(v7())), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [message(table, good.subarray(0, good.length / 2), parse(v7())), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400'],
      [message(table, foreign, parse(v7())), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [Buffer.from([0x0a, 0xff, 0xff, 0x03, 1]), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
    ];
    for (const [body, given, code, problem] of cases) {
      const refused = (await insert(port, body, given)) as ServiceError;
      expect(refused.code, refused.details).toBe(code);
      const [held] = refused.metadata.get('wyrd-error-bin');
      expect(JSON.parse(String(held)).code).toContain(problem);
    }
  });
});
