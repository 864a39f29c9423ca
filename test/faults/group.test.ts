import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { openStore } from '#local/open-store.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { conversationDesk } from '#test/support/conversation-desk.ts';
import { callerOf, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';
import { startFaultHost } from '#test/support/start-fault-host.ts';

/**
 * docs/spec/background.md §5.7 row 16 and §11 rows 10–12, 16: the process is killed at a write point between the evidence
 * of a group and the end of its judgment, and then the group is judged, never twice for one due time.
 */
const long = process.env.TOUCHSTONE_LONG === '1';
const silent = { info() {}, warn() {}, error() {} };
let template: string;
let uids: Record<string, string>;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'touchstone-group-faults-'));
  const host = await startHost(checkConfig({ port: 0, data: template }), { log: silent });
  const body = { submissions: conversationDesk() };
  const headers = { 'idempotency-key': uniqueKey() };
  uids = uidsOf(await callerOf(host.url)('POST', '/v1/cards', { body, headers }));
  await host.close();
});
afterAll(() => rm(template, { recursive: true, force: true }));

/** The id of the turn; null when the connection broke. */
async function sendTurn(url: string, key: string): Promise<string | null> {
  try {
    const answered = await callerOf(url)('POST', '/v1/verification/enqueue', {
      body: {
        verifier_card_uid: uids['turn-check'],
        card_uid: uids['desk-agent'],
        group_id: 'talk',
        inputs: { turn: { kind: 'json', value: 'hello' } },
      },
      headers: { 'idempotency-key': key },
    });
    expect(answered.status).toBe(202);
    return answered.json.execution_id as string;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Another process, whose clock the test moves until nothing is left to do. */
async function recover(data: string, key: string): Promise<string> {
  const clock = controlledClock(Date.now());
  const host = await startHost(checkConfig({ port: 0, data }), { log: silent, clock });
  try {
    const id = (await sendTurn(host.url, key)) ?? '';
    const call = callerOf(host.url);
    const group = async () => (await call('GET', `/v1/verification/groups/${uids.desk}/talk`)).json.bindings[0];
    const open = async () =>
      (await call('GET', '/v1/verification/executions')).json.items.filter(
        ({ status }: { status: string }) => status !== 'completed',
      );
    for (let look = 0; look < 300; look += 1) {
      if ((await group()).due_at === null && (await open()).length === 0) return id;
      await new Promise((resolve) => setTimeout(resolve, 5));
      await clock.advance(5_000);
    }
    throw new Error('it never came to rest');
  } finally {
    await host.close();
  }
}

async function expectJudged(data: string, turn: string): Promise<void> {
  const store = await openStore(data);
  try {
    const { items } = await store.executions.list('local', {}, { limit: 50, after: null });
    expect(items.filter(({ origin }) => origin === 'enqueue').map(({ execution_id }) => execution_id)).toEqual([turn]);
    const judgments = await Promise.all(
      items
        .filter(({ origin }) => origin === 'group_end')
        .map(({ execution_id }) => store.executions.find('local', execution_id)),
    );
    const marks = judgments.map((judgment) => JSON.stringify(judgment?.request.inputs.marks));
    // Before the turn's result and after it, at most once each; the newest one has all of it.
    expect(new Set(marks).size).toBe(marks.length);
    expect(judgments[0]?.request.inputs).toMatchObject({ turns: { value: ['hello'] }, marks: { value: ['passed'] } });
    expect(judgments[0]?.verdict).toBe('passed');
  } finally {
    await store.close();
  }
}

const points = Array.from({ length: 50 }, (_unused, index) => index + 1);
const sample = [4, 12, 20, 26, 29, 32, 36, 41, 46];

describe('killed between evidence and judgment of a group', () => {
  it.concurrent.each(long ? points : sample)('point %i', { timeout: 60_000 }, async (point) => {
    const data = await mkdtemp(join(tmpdir(), 'touchstone-group-fault-'));
    await cp(template, data, { recursive: true });
    try {
      const key = uniqueKey();
      {
        await using child = await startFaultHost(data, point);
        await sendTurn(child.url, key);
        // Where all is done before the point comes, the kill comes from outside.
        await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, 4_000))]);
      }
      await expectJudged(data, await recover(data, key));
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});
