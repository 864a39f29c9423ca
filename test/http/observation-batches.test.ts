import { parse, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openStore, type Store } from '#local/open-store.ts';
import { desk, makeHost, uidsOf } from '#test/support/embedded-host.ts';
import { arrowOf, insertMessage, insertOverGrpc, rowsOf, table } from '#test/support/grpc-client.ts';

/** docs/spec/wire.md §9.5: batches from many clients at once, and batches of those who mean harm. */
async function samplesHost() {
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
  const subject = uidsOf(await host.declare(desk()))['desk-agent'] ?? '';
  const store = opened.store ?? expect.fail('no store');
  return {
    host,
    subject,
    send: (records: readonly unknown[], batch_id = v7()) =>
      host.call('POST', '/v1/observations', { body: { batch_id, records } }),
    sendText: (raw: string) =>
      host.call('POST', '/v1/observations', { raw, headers: { 'content-type': 'application/json' } }),
    recordOf: (record_id: string, features: unknown = { latency: 1 }) => ({
      record_id,
      subject_card_uid: subject,
      created_at: '2026-05-04T08:00:00Z',
      features,
    }),
    /** Everything that is kept, oldest first. */
    kept: async () => (await store.observations.newest('local', 10_000)).toReversed(),
  };
}

describe('batches of samples', () => {
  it('that ten clients send at once are kept once, and all have one answer', async () => {
    const { host, subject, send, recordOf, kept } = await samplesHost();
    await using _host = host;
    const batch = v7();
    const records = Array.from({ length: 100 }, (_none, index) => recordOf(`r${index}`));
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(records, batch)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // The same id over the other way in is another batch under its name.
    const token = await host.token('anything');
    const other = insertMessage(table, arrowOf(rowsOf(subject, 'other')), parse(batch));
    expect(await insertOverGrpc(host.grpc_port ?? 0, other, token)).toBeInstanceOf(Error);
    expect((await kept()).map(({ record_id }) => record_id)).toEqual(records.map(({ record_id }) => record_id));
  });

  it('of one id but other records: one client wins, the others are told', async () => {
    const { host, send, recordOf, kept } = await samplesHost();
    await using _host = host;
    const batch = v7();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_none, client) => send([recordOf(`a${client}`), recordOf(`b${client}`)], batch)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(9).fill(409)]);
    const winner = answers.findIndex(({ status }) => status === 202);
    expect((await kept()).map(({ record_id }) => record_id)).toEqual([`a${winner}`, `b${winner}`]);
  });

  it('that are bad in many ways are refused whole, with every fault of every record', async () => {
    const { host, send, recordOf, kept } = await samplesHost();
    await using _host = host;
    const long = 'n'.repeat(257);
    const many = Object.fromEntries(Array.from({ length: 257 }, (_none, index) => [`f${index}`, index]));
    const bad: readonly [unknown, readonly RegExp[]][] = [
      [recordOf('x', { [long]: 1 }), [/^features/]],
      [recordOf('x', many), [/between 1 and 256 features/]],
      [recordOf('x', { tier: 't'.repeat(1_025) }), [/features\.tier/]],
      [recordOf('x', { a: { b: 1 }, c: [1] }), [/features\.a/, /features\.c/]],
      [recordOf(long), [/record_id/]],
      [{ ...recordOf('', { '': 1 }), run_id: 7, created_at: 'now' }, [/record_id/, /run_id/, /created_at/, /features/]],
      [null, [/./]],
      [[], [/./]],
      ['record', [/./]],
    ];
    const { status, json } = await send([recordOf('good'), ...bad.map(([record]) => record), recordOf('good too')]);
    expect([status, json.code]).toEqual([400, 'WYRD_SPEC_400_VALIDATION']);
    expect(json.detail).toBe('9 of 11 records cannot be taken, so none was');
    const faults: readonly { index: number; reason: string }[] = json.details.records;
    expect(faults.map(({ index }) => index)).toEqual(bad.map((_none, index) => index + 1));
    for (const [index, [, reasons]] of bad.entries()) {
      for (const reason of reasons) expect(faults[index]?.reason).toMatch(reason);
      // A refusal is no echo of what was sent.
      expect(faults[index]?.reason.length).toBeLessThan(3_000);
    }
    expect(await kept()).toEqual([]);
  });

  it('of numbers that are none, or of too many rows, leave nothing behind', async () => {
    const { host, sendText, send, recordOf, kept } = await samplesHost();
    await using _host = host;
    const textOf = (value: string) =>
      JSON.stringify({ batch_id: v7(), records: [recordOf('a'), recordOf('b', { latency: 'HERE' })] }).replace(
        '"HERE"',
        value,
      );
    for (const value of ['NaN', 'Infinity', '-Infinity', '1e999', '-1e999', '9007199254740993', '01', '.5', '0x1']) {
      const answer = await sendText(textOf(value));
      expect([value, answer.status, answer.json.code]).toEqual([value, 400, 'WYRD_SPEC_400_VALIDATION']);
    }
    const tooMany = Array.from({ length: 1_001 }, (_none, index) => recordOf(`r${index}`));
    expect((await send(tooMany)).status).toBe(400);
    expect(await kept()).toEqual([]);
    expect((await sendText(textOf('1e308'))).status).toBe(202);
    expect((await send(tooMany.slice(1))).status).toBe(202);
    expect(await kept()).toHaveLength(1_002);
  });

  it('keep any name of a feature and any value as it was sent', async () => {
    const { host, send, recordOf, kept } = await samplesHost();
    await using _host = host;
    const entries: readonly (readonly [string, string | number | null])[] = [
      ['constructor', 1],
      ["'; DROP TABLE observations; --", 'x'],
      ['é\u0000\u{1f600}', 'a\u0000b'],
      ['n'.repeat(256), -0],
      ['least', 5e-324],
      ['text', '17'],
      ['nothing', null],
    ];
    const sent = await send([recordOf('r', Object.fromEntries(entries))]);
    expect(sent.status, sent.text).toBe(202);
    const [record] = await kept();
    expect([...(record?.features ?? [])]).toEqual(entries.map(([name, value]) => [name, value === 0 ? 0 : value]));
  });

  it('with a feature whose name cannot be kept are refused, and nothing is dropped in silence', async () => {
    const { host, sendText, recordOf, kept } = await samplesHost();
    await using _host = host;
    const records = [recordOf('a'), { ...recordOf('b', { HERE: 2, latency: 1 }), created_at: 'now' }];
    const text = JSON.stringify({ batch_id: v7(), records });
    const answer = await sendText(text.replace('"HERE"', '"__proto__"'));
    expect([answer.status, answer.json.details?.records]).toEqual([
      400,
      [{ index: 1, reason: expect.stringMatching(/created_at.*features: __proto__ is no name of a feature/) }],
    ]);
    expect(await kept()).toEqual([]);
  });
});
