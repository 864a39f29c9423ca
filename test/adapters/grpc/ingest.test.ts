import { type ServiceError, status } from '@grpc/grpc-js';
import { parse, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { toBatches } from '#adapters/grpc/batches.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { desk, makeHost, uidsOf } from '#test/support/embedded-host.ts';
import { arrowOf, insertMessage, insertOverGrpc, rowsOf, table } from '#test/support/grpc-client.ts';

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
    const body = insertMessage(table, arrowOf(rowsOf(uid, 'one')), id);
    for (let time = 0; time < 3; time += 1) expect(await insertOverGrpc(port, body, token)).toEqual(Buffer.from(id));
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
    const body = insertMessage(table, arrowOf(rows), parse(v7()));
    for (let time = 0; time < 2; time += 1) expect(await insertOverGrpc(port, body, token)).toHaveLength(16);
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
      [insertMessage(table, good, parse(v7())), 'wrong', status.UNAUTHENTICATED, 'WYRD_AUTH'],
      [insertMessage('other.table', good, parse(v7())), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [insertMessage(table, good, new Uint8Array(3)), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [
        insertMessage(table, new Uint8Array(99), parse(v7())),
        token,
        status.INVALID_ARGUMENT,
        'WYRD_SPEC_400_VALIDATION',
      ],
      [
        insertMessage(table, good.subarray(0, good.length / 2), parse(v7())),
        token,
        status.INVALID_ARGUMENT,
        'WYRD_SPEC_400',
      ],
      [insertMessage(table, foreign, parse(v7())), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
      [Buffer.from([0x0a, 0xff, 0xff, 0x03, 1]), token, status.INVALID_ARGUMENT, 'WYRD_SPEC_400_VALIDATION'],
    ];
    for (const [body, given, code, problem] of cases) {
      const refused = (await insertOverGrpc(port, body, given)) as ServiceError;
      expect(refused.code, refused.details).toBe(code);
      const [held] = refused.metadata.get('wyrd-error-bin');
      expect(JSON.parse(String(held)).code).toContain(problem);
    }
  });
});
