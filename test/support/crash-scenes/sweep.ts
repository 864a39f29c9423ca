import { expect } from 'vitest';
import { comeToRest, type Scene } from '../crash-table.ts';
import { type CrashWorld, minute } from '../crash-world.ts';
import { uniqueKey } from '../embedded-host.ts';
import { declareDesk, submitOnce } from './submission.ts';

/** A sweep that finds two executions whose workers are gone, and one whose start was lost. */
export async function lostWork(world: CrashWorld, tenant: string): Promise<Scene> {
  const { ports } = world.process();
  const target = await declareDesk(world, tenant);
  const lost = { ports: { ...ports, workflow: { start: () => Promise.reject(new Error('lost')) } } };
  const ids: string[] = [];
  for (let one = 0; one < 3; one += 1) ids.push(await submitOnce(lost, tenant, target, uniqueKey()));
  const gone = ids.slice(0, 2);
  for (const id of gone) {
    await ports.attempts.claim(tenant, id, { lease: 'gone', now: world.now, lease_until: world.now + 6 * minute });
  }
  world.pass(6 * minute + 1);
  const find = () => Promise.all(ids.map((id) => ports.executions.find(tenant, id)));
  return {
    work: (process) => process.sweep(),
    async left() {
      for (const execution of await find()) {
        expect(['pending', 'running', 'retrying']).toContain(execution?.status);
        expect(execution?.attempts).toBe(gone.includes(execution?.execution_id ?? '') ? 1 : 0);
      }
    },
    async after() {
      const begun = world.now;
      await comeToRest(world, tenant);
      expect(world.now - begun).toBeLessThanOrEqual(2 * minute);
      const ended = await find();
      expect(ended.map((execution) => [execution?.status, execution?.attempts])).toEqual([
        ['completed', 2],
        ['completed', 2],
        ['completed', 1],
      ]);
      const machines = (await world.machines()).filter((name) => ids.some((id) => name.startsWith(id)));
      // One an attempt. The local machines end by themselves after two seconds, and a slow sweep may have replaced one.
      const attempts = new Set(machines.map((name) => name.replace(/(-\d)-\d{5,}$/, '$1')));
      expect([...attempts].sort()).toEqual(ids.map((id) => `${id}-${gone.includes(id) ? 2 : 1}`).sort());
      for (const id of ids) {
        const dispatches = await ports.dispatches.ofExecution(tenant, id);
        expect(dispatches.map(({ status, attempts }) => [status, attempts])).toEqual([
          ['delivered', 1],
          ['delivered', 1],
        ]);
      }
    },
  };
}
