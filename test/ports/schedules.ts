import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Attempts } from '#service/ports/attempts.ts';
import type { DueRows } from '#service/ports/due.ts';
import type { Executions } from '#service/ports/executions.ts';
import type { Registry } from '#service/ports/registry.ts';
import { type Occurrence, occurrencesKept, type Schedules, settlingMs } from '#service/ports/schedules.ts';
import { declarationOf, pendingExecution, storedBinding, storedCard } from '#test/support/stored-things.ts';

export interface ScheduleStore {
  readonly registry: Registry;
  readonly schedules: Schedules;
  readonly executions: Executions;
  readonly attempts: Attempts;
  readonly dueRows: DueRows;
}

const tenant = 'acme';
const t0 = Date.parse('2026-03-02T09:00:00.000Z');
const hour = 3_600_000;

function occurrenceAt(at: number, status: Occurrence['status'] = 'missed', id: string | null = null): Occurrence {
  return { at: new Date(at).toISOString(), status, execution_id: id, group_id: null };
}

/** Schedules and their occurrences (docs/spec/background.md §3.6, §4.4, §4.6, §4.7). */
export function testSchedules(name: string, make: () => Promise<ScheduleStore>): void {
  async function declared() {
    const store = await make();
    const [owner, verifier] = [storedCard({ kind: 'Agent', name: 'desk' }), storedCard()];
    const binding = storedBinding(owner, verifier);
    const { binding_id } = binding;
    const schedules = [{ binding_id, next_at: t0 }];
    const declaration = declarationOf([owner, verifier], { bindings: [binding], schedules });
    expect(await store.registry.declare(tenant, declaration)).toBe('stored');
    const look = (now: number) => store.dueRows.due({ now, limit: 10 });
    return { ...store, binding_id, declaration, look };
  }

  describe(`Schedules: ${name}`, () => {
    it('begin with their declaration, for their tenant alone, and are due when samples have settled', async () => {
      const { schedules, binding_id, look } = await declared();
      expect(await schedules.find(tenant, binding_id)).toEqual({ binding_id, next_at: t0 });
      expect(await schedules.find('other', binding_id)).toBeNull();
      expect(await schedules.occurrences(tenant, binding_id)).toEqual([]);
      expect(await look(t0 + settlingMs - 1)).toEqual([]);
      const due = { tenant, kind: 'occurrence', id: binding_id, due_at: t0 + settlingMs };
      expect(await look(t0 + settlingMs)).toEqual([due]);
    });

    it('do not begin with a declaration that is refused', async () => {
      const { registry, schedules, declaration } = await declared();
      const [owner, verifier] = declaration.cards;
      if (owner === undefined || verifier === undefined) throw new Error('no Cards');
      const binding = storedBinding(owner, verifier);
      const other = { bindings: [binding], schedules: [{ binding_id: binding.binding_id, next_at: t0 }] };
      // The same name and version again.
      const again = declarationOf([{ ...owner, uid: v7() }, verifier], other);
      expect(await registry.declare(tenant, again)).toBe('conflict');
      expect(await schedules.find(tenant, binding.binding_id)).toBeNull();
    });

    it('go on with the execution of an occurrence, in one step', async () => {
      const { schedules, executions, attempts, binding_id, look } = await declared();
      const execution = pendingExecution({ origin: 'schedule' });
      const { execution_id } = execution;
      const occurrence = occurrenceAt(t0, 'admitted', execution_id);
      const step = { from: t0, to: t0 + hour, occurrences: [occurrence], execution };
      expect(await schedules.advance(tenant, binding_id, step)).toBe(true);
      expect(await schedules.find(tenant, binding_id)).toEqual({ binding_id, next_at: t0 + hour });
      expect(await schedules.occurrences(tenant, binding_id)).toEqual([occurrence]);
      expect((await executions.find(tenant, execution_id))?.status).toBe('pending');
      const claim = { lease: 'one', now: t0, lease_until: t0 + 360_000 };
      expect(await attempts.claim(tenant, execution_id, claim)).toMatchObject({ attempt: 1 });
      expect(await look(t0 + hour + settlingMs - 1)).toEqual([]);
      expect(await look(t0 + hour + settlingMs)).toHaveLength(1);
    });

    it.each([
      { title: 'another occurrence', of: tenant, from: t0 - hour },
      { title: 'another tenant', of: 'other', from: t0 },
    ])('write nothing for $title', async ({ of, from }) => {
      const { schedules, executions, binding_id } = await declared();
      const execution = pendingExecution();
      const step = { from, to: t0 + hour, occurrences: [occurrenceAt(from)], execution };
      expect(await schedules.advance(of, binding_id, step)).toBe(false);
      expect(await schedules.find(tenant, binding_id)).toEqual({ binding_id, next_at: t0 });
      expect(await schedules.occurrences(of, binding_id)).toEqual([]);
      expect(await executions.find(of, execution.execution_id)).toBeNull();
    });

    it('go to one of many that advance at once', async () => {
      const { schedules, executions, binding_id } = await declared();
      const all = Array.from({ length: 4 }, () => pendingExecution());
      const advanced = await Promise.all(
        all.map((execution) => {
          const occurrences = [occurrenceAt(t0, 'admitted', execution.execution_id)];
          return schedules.advance(tenant, binding_id, { from: t0, to: t0 + hour, occurrences, execution });
        }),
      );
      expect(advanced.filter(Boolean)).toHaveLength(1);
      const stored = await Promise.all(all.map(({ execution_id }) => executions.find(tenant, execution_id)));
      expect(stored.map((found) => found !== null)).toEqual(advanced);
      expect(await schedules.occurrences(tenant, binding_id)).toHaveLength(1);
    });

    it('end when there is no further occurrence', async () => {
      const { schedules, binding_id, look } = await declared();
      const last = { from: t0, to: null, occurrences: [occurrenceAt(t0)], execution: null };
      expect(await schedules.advance(tenant, binding_id, last)).toBe(true);
      expect(await schedules.find(tenant, binding_id)).toBeNull();
      expect(await look(t0 + 400 * 24 * hour)).toEqual([]);
      expect(await schedules.advance(tenant, binding_id, last)).toBe(false);
      expect(await schedules.occurrences(tenant, binding_id)).toHaveLength(1);
    });

    it('keep what became of occurrences, the newest first and so many', async () => {
      const { schedules, binding_id } = await declared();
      const steps = 3;
      const each = 40;
      for (let step = 0; step < steps; step += 1) {
        const from = t0 + step * each * hour;
        const occurrences = Array.from({ length: each }, (_unused, index) => occurrenceAt(from + index * hour));
        const to = from + each * hour;
        expect(await schedules.advance(tenant, binding_id, { from, to, occurrences, execution: null })).toBe(true);
      }
      const kept = await schedules.occurrences(tenant, binding_id);
      const newest = Array.from({ length: occurrencesKept }, (_unused, index) => steps * each - 1 - index);
      expect(kept).toEqual(newest.map((index) => occurrenceAt(t0 + index * hour)));
      expect(await schedules.occurrences('other', binding_id)).toEqual([]);
    });

    it('pass over more occurrences at once than are kept', { timeout: 60_000 }, async () => {
      const { schedules, executions, binding_id } = await declared();
      const count = 150;
      const execution = pendingExecution();
      const occurrences = Array.from({ length: count }, (_unused, index) =>
        index === count - 1
          ? occurrenceAt(t0 + index * hour, 'admitted', execution.execution_id)
          : occurrenceAt(t0 + index * hour),
      );
      const step = { from: t0, to: t0 + count * hour, occurrences, execution };
      expect(await schedules.advance(tenant, binding_id, step)).toBe(true);
      const kept = await schedules.occurrences(tenant, binding_id);
      expect(kept).toEqual(occurrences.toReversed().slice(0, kept.length));
      expect(kept.length).toBeGreaterThan(90);
      expect(kept.length).toBeLessThanOrEqual(occurrencesKept);
      expect(await executions.find(tenant, execution.execution_id)).not.toBeNull();
    });
  });
}
