import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from '#local/open-store.ts';
import { permissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { declareCards } from '#service/cards/declare.ts';
import type { Driven } from '#service/drive/drive.ts';
import { withRecord } from '#service/records/show-record.ts';
import { type ExecutePorts, execute } from '#service/verify/execute.ts';
import { desk, uniqueKey } from '#test/support/embedded-host.ts';

const principal: Principal = {
  tenant: 'local',
  id: 'p',
  permissions: new Set(permissions),
  verifier_uids: null,
  card_uid: null,
};
const finished: Driven = {
  kind: 'finished',
  outcome: { verdict: 'passed', requirements: [], steps: [], evidence: {} },
  work: { judges: [], code: [], extractions: [], drift: [], traces: [] },
};
const log = { info() {}, warn() {}, error() {} };
let folder: string;
let store: Store;
let request: Parameters<typeof execute>[2];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-execute-'));
  store = await openStore(folder);
  const declared = await declareCards({ ...store, log, callsInFlight: new Map() }, principal, {
    submissions: desk(),
    key: uniqueKey(),
  });
  const uid = (name: string) =>
    declared.answer.outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid ?? '';
  request = {
    verifier_card_uid: uid('tone'),
    card_uid: uid('desk-agent'),
    run_id: null,
    group_id: null,
    inputs: {},
    execution_route_overrides: {},
    deployment_environment: null,
    workload_uid: null,
  };
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function ports(driven: Driven, more: Partial<ExecutePorts> = {}): ExecutePorts {
  return {
    ...store,
    log,
    compiledVerifiers: boundedCache(10),
    engine: { name: 't', version: '0' },
    execute_ms: 60_000,
    drive: async () => driven,
    ...more,
  };
}

const listed = async () => (await store.executions.list('local', {}, { limit: 10, after: null })).items;

it('answers 429 when a block is refused capacity, and keeps nothing', async () => {
  const busy = execute(ports({ kind: 'busy', retry_after_ms: 1_200 }), principal, request);
  await expect(busy).rejects.toMatchObject({
    code: 'WYRD_VERIFICATION_429_STAGING_FULL',
    details: { retry_after_seconds: 2 },
  });
  expect(await listed()).toEqual([]);
});

it('answers 504 at the deadline and keeps the execution without a verdict', async () => {
  const late = execute(ports({ kind: 'timed_out' }), principal, request);
  await expect(late).rejects.toMatchObject({ code: 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT' });
  expect(await listed()).toMatchObject([
    { status: 'timed_out', verdict: null, error: { code: 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT' } },
  ]);
});

it('gives the run 60 seconds from its start', async () => {
  let deadline = 0;
  let started = '';
  const drive: ExecutePorts['drive'] = async (input) => {
    deadline = input.deadline;
    started = input.run.started_at;
    return finished;
  };
  await execute(ports(finished, { drive }), principal, request);
  expect(deadline - Date.parse(started)).toBe(60_000);
});

it.each<[string, () => Promise<void>]>([
  ['refuses', async () => Promise.reject(new Error('disk full'))],
  ['does not answer', () => new Promise(() => {})],
])('spools the result durably when the store %s, and stores it later', async (_name, storeSettled) => {
  const executions = { ...store.executions, storeSettled };
  const text = await execute(
    ports(finished, { executions, clock: { ...store.clock, sleep: async () => {} } }),
    principal,
    request,
  );
  const { execution_id: id } = JSON.parse(text) as { execution_id: string };
  expect(await readdir(join(folder, 'spool'))).toEqual([`${id}.json`]);
  expect(await store.spool.drain((tenant, execution) => store.executions.storeSettled(tenant, execution))).toBe(0);
  // Nobody is told that it is signed before it is in the store.
  const answered = JSON.parse(text) as { record: unknown };
  expect(answered.record).toEqual({ state: 'pending' });
  const stored = await store.executions.find('local', id);
  expect(withRecord(stored?.result ?? '', { state: 'pending' })).toBe(text);
  expect(stored?.record?.state).toBe('signed');
  expect(await readdir(join(folder, 'spool'))).toEqual([]);
});

it('answers 502 when neither store nor spool takes the result', async () => {
  const failing = async () => Promise.reject(new Error('disk full'));
  const both = ports(finished, {
    executions: { ...store.executions, storeSettled: failing },
    spool: { put: failing, drain: async () => 0 },
  });
  await expect(execute(both, principal, request)).rejects.toMatchObject({
    code: 'WYRD_VERIFICATION_502_DEPENDENCY_FAILED',
  });
});
