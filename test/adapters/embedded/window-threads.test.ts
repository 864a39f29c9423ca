import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '#adapters/embedded/database.ts';
import { migrations } from '#adapters/embedded/migrations.ts';
import { sqliteObservations } from '#adapters/embedded/observations.ts';
import { readInThread } from '#adapters/embedded/window-chunks.ts';
import { windowTurns } from '#adapters/embedded/window-turns.ts';
import type { Observations } from '#service/ports/observations.ts';

let folder: string;
let database: Database;
let observations: Observations;
const threads: Worker[] = [];
const note = (worker: Worker) => void threads.push(worker);
const look = { subject_card_uid: 'agent', from: 0, to: 10_000, features: ['a'] };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windows-'));
  database = openDatabase(join(folder, 'store.db'), { migrations, exclusive: true });
  observations = sqliteObservations(database);
  for (const tenant of ['one', 'other']) await fill(tenant, 5_000);
  process.on('worker', note);
});

afterEach(async () => {
  process.off('worker', note);
  threads.length = 0;
  await database.close();
  rmSync(folder, { recursive: true });
});

function fill(tenant: string, count: number, prefix = 'r') {
  const records = Array.from({ length: count }, (_none, index) => ({
    record_id: `${prefix}${index}`,
    subject_card_uid: 'agent',
    run_id: null,
    created_at: '2026-05-04T08:00:00Z',
    features: new Map([['a', index]]),
  }));
  return observations.append(tenant, { batch_id: crypto.randomUUID(), sha256: 'x', observations: records }, 1_000);
}

const countOf = async (tenant: string) => {
  let count = 0;
  for await (const _row of observations.window(tenant, look)) count += 1;
  return count;
};
/** A thread that ended has no number any more. */
const living = () => threads.filter(({ threadId }) => threadId !== -1).length;

it('a large window is read while the host goes on, and rows that arrive meanwhile are kept', async () => {
  let turns = 0;
  let isReading = true;
  const turn = () => {
    turns += 1;
    if (isReading) setImmediate(turn);
  };
  setImmediate(turn);
  const rows = observations.window('one', look)[Symbol.asyncIterator]();
  await rows.next();
  isReading = false;
  expect(turns).toBeGreaterThan(10);
  expect(living()).toBe(1);
  expect(await fill('one', 10, 'late')).toBe(1_000);
  let count = 1;
  while (!(await rows.next()).done) count += 1;
  // The window is the one of the moment in which its reading began.
  expect(count).toBe(5_000);
  expect(living()).toBe(0);
  expect(await countOf('one')).toBe(5_010);
});

it('a small one needs no thread', async () => {
  await fill('small', 1_000);
  expect(await countOf('small')).toBe(1_000);
  expect(threads).toHaveLength(0);
});

it('of many small rows and few large ones, the large are read in a thread', async () => {
  const records = Array.from({ length: 3 }, (_none, index) => ({
    record_id: `r${index}`,
    subject_card_uid: 'agent',
    run_id: null,
    created_at: '2026-05-04T08:00:00Z',
    features: new Map([['a', 'é'.repeat(300_000)]]),
  }));
  await observations.append('large', { batch_id: crypto.randomUUID(), sha256: 'x', observations: records }, 1_000);
  expect(await countOf('large')).toBe(3);
  expect(threads).toHaveLength(1);
});

it('an aborted reading ends its thread, and the next one has its turn', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const sorting = observations.window('one', look, abort.signal)[Symbol.asyncIterator]();
  const first = sorting.next();
  const waiting = observations.window('one', look, abort.signal)[Symbol.asyncIterator]();
  const second = waiting.next();
  abort.abort(reason);
  await expect(first).rejects.toBe(reason);
  await expect(second).rejects.toBe(reason);
  expect(living()).toBe(0);
  expect(threads.length).toBeLessThan(2);
  expect(await countOf('one')).toBe(5_000);
  await expect(observations.window('one', look, abort.signal)[Symbol.asyncIterator]().next()).rejects.toBe(reason);
});

it('a reading that is aborted or left between two rows ends its thread', async () => {
  for await (const { record_id } of observations.window('one', look)) if (record_id === 'r1') break;
  expect(threads).toHaveLength(1);
  expect(living()).toBe(0);
  const abort = new AbortController();
  const read = async () => {
    for await (const _row of observations.window('one', look, abort.signal)) abort.abort(new Error('stop'));
  };
  await expect(read()).rejects.toThrow('stop');
  expect(threads).toHaveLength(2);
  expect(living()).toBe(0);
});

it('a file that cannot be read is a failure of the store', async () => {
  const rows = readInThread({ path: join(folder, 'none.db'), tenant: 'one', look });
  await expect(rows.next()).rejects.toMatchObject({ name: 'StoreFailure' });
  expect(living()).toBe(0);
});

it('windows have turns: two at once, one a tenant, the first to come first', async () => {
  const turns = windowTurns();
  const order: string[] = [];
  const take = async (tenant: string, name: string, signal?: AbortSignal) => {
    const end = await turns.take(tenant, signal);
    order.push(name);
    return end;
  };
  const first = await take('many', 'many 1');
  const second = take('many', 'many 2');
  const abort = new AbortController();
  const left = take('many', 'left', abort.signal);
  const other = await take('other', 'other 1');
  const third = take('third', 'third 1');
  abort.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(order).toEqual(['many 1', 'other 1']);
  other();
  const endThird = await third;
  expect(order).toEqual(['many 1', 'other 1', 'third 1']);
  first();
  (await second)();
  endThird();
  expect(order).toEqual(['many 1', 'other 1', 'third 1', 'many 2']);
});
