import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Attempts } from '#service/ports/attempts.ts';
import type { DueRows } from '#service/ports/due.ts';
import type { Executions } from '#service/ports/executions.ts';
import { type Groups, groupDueId } from '#service/ports/groups.ts';
import type { Schedules } from '#service/ports/schedules.ts';
import { runningMember, settleMember, someGroup, groupStart as t0, touchOf } from '#test/support/stored-group.ts';
import { keyRow, pendingExecution } from '#test/support/stored-things.ts';
import { settledExecution } from './executions.ts';

export interface GroupStore {
  readonly attempts: Attempts;
  readonly executions: Executions;
  readonly groups: Groups;
  readonly schedules: Schedules;
  readonly dueRows: DueRows;
}

const tenant = 'acme';

/** Groups and when they are due (docs/spec/background.md §5, §11 rows 11, 12, 16). Every condition is one of the write. */
export function testGroups(name: string, make: () => Promise<GroupStore>): void {
  async function touched(due_at = t0) {
    const store = await make();
    const place = someGroup();
    const touch = touchOf(place, due_at);
    await store.executions.storeSettled(tenant, settledExecution({ execution_id: touch.member.execution_id }), [touch]);
    const dueAt = async () => (await store.groups.find(tenant, place))?.due_at;
    const touchAgain = (at: number | null) =>
      store.executions.storeSettled(tenant, settledExecution(), [touchOf(place, at)]);
    return { ...store, place, touch, dueAt, touchAgain };
  }

  describe(`Groups: ${name}`, () => {
    testTouches(make, touched);
    testJudgments(touched);
    testHeads(make, touched);
  });
}

type Touched = (due_at?: number) => Promise<
  GroupStore & {
    readonly place: ReturnType<typeof someGroup>;
    readonly touch: ReturnType<typeof touchOf>;
    readonly dueAt: () => Promise<number | null | undefined>;
    readonly touchAgain: (at: number | null) => Promise<void>;
  }
>;

function testTouches(make: () => Promise<GroupStore>, touched: Touched): void {
  it('are there with the evidence that made them, for their tenant alone', async () => {
    const { groups, dueRows, place, touch } = await touched();
    expect(await groups.find(tenant, place)).toEqual({ ...place, due_at: t0, head: null });
    expect(await groups.members(tenant, place, 10)).toEqual([touch.member]);
    expect(await groups.find('other', place)).toBeNull();
    expect(await groups.members('other', place, 10)).toEqual([]);
    expect(await groups.find(tenant, { ...place, group_id: `${place.group_id}#` })).toBeNull();
    const due = { tenant, kind: 'group', id: groupDueId(place), due_at: t0 };
    expect(await dueRows.due({ now: t0, limit: 10 })).toEqual([due]);
  });

  it.each([
    { at: t0 - 1, due: t0 },
    { at: t0, due: t0 },
    { at: t0 + 1, due: t0 + 1 },
    { at: null, due: t0 },
  ])('are never due earlier by new evidence: $at', async ({ at, due }) => {
    const { groups, place, dueAt, touchAgain } = await touched();
    await touchAgain(at);
    expect(await dueAt()).toBe(due);
    expect(await groups.members(tenant, place, 10)).toHaveLength(2);
  });

  it('are due at the latest of touches that race', async () => {
    const { groups, place, dueAt, touchAgain } = await touched();
    await Promise.all([40, 10, 30, 20].map((ms) => touchAgain(t0 + ms)));
    expect(await dueAt()).toBe(t0 + 40);
    expect(await groups.members(tenant, place, 10)).toHaveLength(5);
  });

  it('are not touched by an execution that was stored before', async () => {
    const { executions, groups, place, touch, dueAt } = await touched();
    const again = settledExecution({ execution_id: touch.member.execution_id });
    await executions.storeSettled(tenant, again, [touchOf(place, t0 + 5_000, touch.member.execution_id)]);
    expect(await dueAt()).toBe(t0);
    expect(await groups.members(tenant, place, 10)).toHaveLength(1);
  });

  it('are touched by an admission, unless its key is taken', async () => {
    const { attempts, groups } = await make();
    const [first, second] = [someGroup(), someGroup()];
    const key = keyRow();
    const admit = (touches: readonly ReturnType<typeof touchOf>[]) =>
      attempts.admit(tenant, pendingExecution(), key, touches);
    expect(await admit([touchOf(first, t0), touchOf(second, null)])).toBe('admitted');
    expect(await admit([touchOf(first, t0 + 5_000)])).toBe('key_taken');
    expect(await groups.find(tenant, first)).toMatchObject({ due_at: t0 });
    expect(await groups.members(tenant, first, 10)).toHaveLength(1);
    expect(await groups.members(tenant, second, 10)).toHaveLength(1);
    expect((await groups.find(tenant, second))?.due_at ?? null).toBeNull();
  });

  it('are touched by what settles under its lease, and by nothing else', async () => {
    const store = await touched();
    const id = await runningMember(store, tenant, [touchOf(store.place, t0)]);
    const touches = [touchOf(store.place, t0 + 9_000, id)];
    expect(await settleMember(store, tenant, id, { touches, lease: 'another' })).toBe(false);
    expect(await store.dueAt()).toBe(t0);
    expect(await settleMember(store, tenant, id, { touches })).toBe(true);
    expect(await store.dueAt()).toBe(t0 + 9_000);
  });

  it('show members in the order of their ids, so many and no more', async () => {
    const { groups, executions } = await make();
    const place = someGroup();
    const ids = Array.from({ length: 5 }, () => v7());
    for (const id of ids.toReversed()) {
      await executions.storeSettled(tenant, settledExecution({ execution_id: id }), [touchOf(place, t0, id)]);
    }
    const found = async (limit: number) =>
      (await groups.members(tenant, place, limit)).map(({ execution_id }) => execution_id);
    expect(await found(10)).toEqual(ids);
    expect(await found(3)).toEqual(ids.slice(0, 3));
  });
}

function testJudgments(touched: Touched): void {
  it('are judged with their execution, which starts, and are not due then', async () => {
    const { groups, executions, attempts, schedules, dueRows, place, dueAt } = await touched();
    const execution = pendingExecution({ origin: 'group_end' });
    expect(await groups.judge(tenant, place, t0, execution)).toBe(true);
    expect(await dueAt()).toBeNull();
    expect(await dueRows.due({ now: t0 + 86_400_000, limit: 10 })).toEqual([]);
    expect((await executions.find(tenant, execution.execution_id))?.status).toBe('pending');
    const claim = { lease: 'one', now: t0, lease_until: t0 + 360_000 };
    expect(await attempts.claim(tenant, execution.execution_id, claim)).toMatchObject({ attempt: 1 });
    const { execution_id } = execution;
    const { group_id } = place;
    expect(await schedules.occurrences(tenant, place.binding_id)).toEqual([
      { at: new Date(t0).toISOString(), status: 'admitted', execution_id, group_id },
    ]);
  });

  it('keep an execution that is errored at birth', async () => {
    const { groups, executions, attempts, schedules, place } = await touched();
    const error = { code: 'WYRD_AUTH_401_CREDENTIAL_REVOKED', message: 'revoked' };
    const execution = settledExecution({ status: 'errored', verdict: null, result: null, error });
    expect(await groups.judge(tenant, place, t0, execution)).toBe(true);
    expect(await executions.find(tenant, execution.execution_id)).toMatchObject({ status: 'errored', error });
    const claim = { lease: 'one', now: t0, lease_until: t0 + 360_000 };
    expect(await attempts.claim(tenant, execution.execution_id, claim)).toBeNull();
    expect(await schedules.occurrences(tenant, place.binding_id)).toMatchObject([{ status: 'errored' }]);
  });

  it('are not judged for a due time that is not theirs any more', async () => {
    const { groups, executions, schedules, place, dueAt, touchAgain } = await touched();
    await touchAgain(t0 + 1);
    const execution = pendingExecution();
    expect(await groups.judge(tenant, place, t0, execution)).toBe(false);
    expect(await groups.judge('other', place, t0 + 1, execution)).toBe(false);
    expect(await dueAt()).toBe(t0 + 1);
    expect(await executions.find(tenant, execution.execution_id)).toBeNull();
    expect(await executions.find('other', execution.execution_id)).toBeNull();
    expect(await schedules.occurrences(tenant, place.binding_id)).toEqual([]);
  });

  it('go to one of two that judge at once', async () => {
    const { groups, executions, schedules, place } = await touched();
    const all = Array.from({ length: 4 }, () => pendingExecution());
    const judged = await Promise.all(all.map((execution) => groups.judge(tenant, place, t0, execution)));
    expect(judged.filter(Boolean)).toHaveLength(1);
    const stored = await Promise.all(all.map(({ execution_id }) => executions.find(tenant, execution_id)));
    expect(stored.map((found) => found !== null)).toEqual(judged);
    expect(await schedules.occurrences(tenant, place.binding_id)).toHaveLength(1);
  });

  it('are due again by evidence after their judgment', async () => {
    const { groups, place, dueAt, touchAgain } = await touched();
    await groups.judge(tenant, place, t0, pendingExecution());
    // Earlier than the due time that was cleared: this one is new.
    await touchAgain(t0 - 5_000);
    expect(await dueAt()).toBe(t0 - 5_000);
    expect(await groups.judge(tenant, place, t0 - 5_000, pendingExecution())).toBe(true);
  });
}

function testHeads(make: () => Promise<GroupStore>, touched: Touched): void {
  it('have the judgment as head that settled last, while `before` is the head', async () => {
    const store = await touched();
    const move = async (before: string | null, verdict: 'passed' | 'failed') => {
      const id = await runningMember(store, tenant);
      return { id, moved: await settleMember(store, tenant, id, { head: { ...store.place, before, verdict } }) };
    };
    const head = async () => (await store.groups.find(tenant, store.place))?.head;
    const first = await move(null, 'passed');
    expect(first.moved).toBe(true);
    expect(await head()).toEqual({ execution_id: first.id, verdict: 'passed' });
    const late = await move(null, 'failed');
    expect(late.moved).toBe(false);
    const stranger = await move(v7(), 'failed');
    expect(stranger.moved).toBe(false);
    expect(await head()).toEqual({ execution_id: first.id, verdict: 'passed' });
    const second = await move(first.id, 'failed');
    expect(second.moved).toBe(true);
    expect(await head()).toEqual({ execution_id: second.id, verdict: 'failed' });
    expect(await store.dueAt()).toBe(t0);
  });

  it('settle nothing of a judgment whose head is refused', async () => {
    const store = await make();
    const [place, other] = [someGroup(), someGroup()];
    await store.executions.storeSettled(tenant, settledExecution(), [touchOf(place, t0)]);
    const id = await runningMember(store, tenant);
    const head = { ...place, before: v7(), verdict: 'failed' } as const;
    expect(await settleMember(store, tenant, id, { head, touches: [touchOf(other, t0, id)] })).toBe(false);
    expect((await store.executions.find(tenant, id))?.status).toBe('running');
    expect(await store.groups.members(tenant, other, 10)).toEqual([]);
    expect(await settleMember(store, tenant, id, { touches: [touchOf(other, t0, id)] })).toBe(true);
  });

  it('go to one of two judgments that settle at once', async () => {
    const store = await touched();
    const ids = await Promise.all([runningMember(store, tenant), runningMember(store, tenant)]);
    const head = { ...store.place, before: null, verdict: 'failed' } as const;
    const settled = await Promise.all(ids.map((id) => settleMember(store, tenant, id, { head })));
    expect(settled.filter(Boolean)).toHaveLength(1);
    const winner = ids[settled.indexOf(true)];
    expect((await store.groups.find(tenant, store.place))?.head?.execution_id).toBe(winner);
  });
}
