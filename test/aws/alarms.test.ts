import { randomUUID } from 'node:crypto';
import { CreateScheduleGroupCommand, GetScheduleCommand, ListSchedulesCommand } from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { wakingPorts } from '#adapters/aws/waking-ports.ts';
import { alarmCallSchema } from '#contract/aws-functions.ts';
import { environmentNames } from '#contract/aws-names.ts';
import type { Due } from '#service/ports/due.ts';
import { groupDueId } from '#service/ports/groups.ts';
import { isStoreFailure } from '#service/ports/store-failure.ts';
import { settledExecution } from '#test/ports/executions.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { type FaultyNetwork, openFaultyNetwork } from '#test/support/faulty-network.ts';
import { someGroup, touchOf } from '#test/support/stored-group.ts';

/** One-time schedules (docs/spec/background.md §10, alarms). None of these rings while the test runs. */
const start = Date.parse('2099-03-02T09:00:00.000Z');
const hour = 3_600_000;
const retry: Due = { tenant: 'acme', kind: 'dispatch', id: `${randomUUID()}#${randomUUID()}`, due_at: start + 30_250 };

let store: AwsStore;
let network: FaultyNetwork;
let group: string;
let now: number;

beforeEach(async () => {
  store = await freshAwsStore();
  network = await openFaultyNetwork(inject('emulator'));
  group = `g${randomUUID().slice(0, 13)}`;
  now = start;
  await store.clients.scheduler.send(new CreateScheduleGroupCommand({ Name: group }));
});

afterEach(() => network.close());

function setter() {
  const { clients, environment, ports } = anotherProcess(store, { endpoint: network.endpoint });
  const target = {
    group,
    function: 'arn:aws:lambda:us-east-1:000000000000:function:ring',
    role: 'arn:aws:iam::000000000000:role/alarms',
    deadLetters: 'arn:aws:sqs:us-east-1:000000000000:alarms',
  };
  const told = { ...environment, [environmentNames.alarmTarget]: target };
  const { alarms } = wakingPorts(clients, told, ports.background, () => now);
  return alarms ?? expect.fail('no alarms');
}

async function schedules() {
  const { Schedules = [] } = await store.clients.scheduler.send(new ListSchedulesCommand({ GroupName: group }));
  return Promise.all(
    Schedules.map(({ Name }) => store.clients.scheduler.send(new GetScheduleCommand({ GroupName: group, Name }))),
  );
}

const calls = () => network.sent('POST') + network.sent('PUT');

describe('an alarm', () => {
  it('is one schedule that rings once, not before its row is due, and goes', async () => {
    await setter().set(retry);
    const [made, ...more] = await schedules();
    expect(more).toEqual([]);
    expect(made).toMatchObject({
      // The second after: schedules have no parts of one.
      ScheduleExpression: 'at(2099-03-02T09:00:31)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: 'arn:aws:lambda:us-east-1:000000000000:function:ring',
        RoleArn: 'arn:aws:iam::000000000000:role/alarms',
        DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:alarms' },
      },
    });
    expect(alarmCallSchema.parse(JSON.parse(made?.Target?.Input ?? ''))).toEqual({ ring: retry });
  });

  it('replaces the one of the same row', async () => {
    const alarms = setter();
    await alarms.set(retry);
    await alarms.set({ ...retry, due_at: start + hour });
    const [made, ...more] = await schedules();
    expect(more).toEqual([]);
    expect(made?.ScheduleExpression).toBe('at(2099-03-02T10:00:00)');
    expect(JSON.parse(made?.Target?.Input ?? '')).toEqual({ ring: { ...retry, due_at: start + hour } });
  });

  it.each<[string, Partial<Due>]>([
    ['tenant', { tenant: 'other' }],
    ['kind', { kind: 'baseline' }],
    ['id', { id: `${randomUUID()}#${randomUUID()}` }],
  ])('is apart from that of another %s', async (_name, other) => {
    const alarms = setter();
    await alarms.set(retry);
    await alarms.set({ ...retry, ...other });
    expect(await schedules()).toHaveLength(2);
  });

  it('of the longest id has a name that the service takes', async () => {
    const id = groupDueId({ binding_id: randomUUID(), group_id: `Grüße #${'🙂'.repeat(60)}` });
    await setter().set({ ...retry, kind: 'occurrence', id });
    const [made] = await schedules();
    expect(made?.Name).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
    expect(JSON.parse(made?.Target?.Input ?? '').ring.id).toBe(id);
  });

  it('of a row that is overdue rings soon, since those in the past never do', async () => {
    now = start + hour;
    await setter().set(retry);
    const [made] = await schedules();
    expect(made?.ScheduleExpression).toBe('at(2099-03-02T10:00:01)');
  });
});

describe('the alarm of a group', () => {
  async function dueGroup(at: number) {
    const place = someGroup();
    const touch = (due_at: number) =>
      store.ports.executions.storeSettled('acme', settledExecution(), [touchOf(place, due_at)]);
    await touch(at);
    const due = (due_at: number): Due => ({ tenant: 'acme', kind: 'group', id: groupDueId(place), due_at });
    return { touch, due };
  }

  it('stays when evidence makes the group due later: no call', async () => {
    const { touch, due } = await dueGroup(start + hour);
    await setter().set(due(start + hour));
    expect(calls()).toBe(1);
    for (let minute = 1; minute <= 5; minute += 1) {
      const later = start + hour + minute * 60_000;
      await touch(later);
      // Another process each time: what was set is kept in the row.
      await setter().set(due(later));
    }
    expect(calls()).toBe(1);
    const [made] = await schedules();
    expect(made?.ScheduleExpression).toBe('at(2099-03-02T10:00:00)');
  });

  it('sets itself again when it rang early', async () => {
    const { touch, due } = await dueGroup(start + hour);
    await setter().set(due(start + hour));
    await touch(start + 2 * hour);
    now = start + hour;
    await setter().set(due(start + 2 * hour));
    const made = await schedules();
    expect(made.map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(['at(2099-03-02T11:00:00)']);
  });

  it('is not set for a group that nobody knows', async () => {
    await setter().set({ tenant: 'acme', kind: 'group', id: groupDueId(someGroup()), due_at: start + hour });
    expect(calls()).toBe(0);
  });
});

describe('a scheduler that fails', () => {
  it.each([
    ['is asked again after faults', { status: 500 }],
    ['is asked again after broken connections', 'lost_request'],
    ['made one schedule when the answer was lost', 'lost_answer'],
  ] as const)('%s', async (_name, fault) => {
    network.plan('POST', fault);
    await setter().set(retry);
    expect(await schedules()).toHaveLength(1);
  });

  it('is a failure of the store when it goes on', async () => {
    network.planAlways('POST', { status: 500 });
    const failure = await setter()
      .set(retry)
      .then(() => 'no failure', isStoreFailure);
    expect(failure).toBe(true);
    expect(await schedules()).toEqual([]);
  });
});
