import { describe, expect, it } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import type { Executions } from '#service/ports/executions.ts';
import { type DrainPorts, drainSpool } from '#service/verify/drain-spool.ts';
import { settledExecution } from './executions.ts';

/** Where results wait that the store refused (docs/spec/background.md §1.5). */
export function testSpool(name: string, make: () => Promise<Omit<DrainPorts, 'log' | 'clock'>>): void {
  describe(`Spool: ${name}`, () => {
    it('hands everything on once, large results too', async () => {
      const { spool, executions } = await make();
      const waiting = [settledExecution(), settledExecution({ result: `"${'é'.repeat(600_000)}"` })];
      for (const execution of waiting) await spool.put('acme', execution);
      const handed: string[] = [];
      const left = await spool.drain(async (tenant, execution) => {
        handed.push(tenant);
        await executions.storeSettled(tenant, execution);
      });
      expect([left, handed]).toEqual([0, ['acme', 'acme']]);
      for (const execution of waiting) expect(await executions.find('acme', execution.execution_id)).toEqual(execution);
      expect(await spool.drain(async () => expect.unreachable())).toBe(0);
    });

    it('keeps one that is refused, says how many are left and brings in the others', async () => {
      const store = await make();
      const { spool, executions } = store;
      const waiting = Array.from({ length: 6 }, () => settledExecution());
      for (const execution of waiting) await spool.put('acme', execution);
      const [refused] = waiting;
      const log: unknown[] = [];
      const note = (message: string, fields?: object) => void log.push([message, fields]);
      const refusing: Executions = {
        ...executions,
        storeSettled: async (tenant, execution) => {
          if (execution.execution_id === refused?.execution_id) throw new Error('refused');
          await executions.storeSettled(tenant, execution);
        },
      };
      const ports = {
        ...store,
        clock: systemClock,
        executions: refusing,
        log: { info: note, warn: note, error: note },
      };
      expect(await drainSpool(ports)).toBe(1);
      expect(log).toEqual([
        ['a spooled result is still refused', { execution_id: refused?.execution_id, error: 'Error' }],
      ]);
      for (const execution of waiting.slice(1)) {
        expect(await executions.find('acme', execution.execution_id)).toEqual(execution);
      }
      expect(await drainSpool({ ...ports, executions })).toBe(0);
      expect(await executions.find('acme', refused?.execution_id ?? '')).toEqual(refused);
    });

    it('asks a store that is away a few times, and not for each that waits', async () => {
      const { spool } = await make();
      for (let waiting = 0; waiting < 10; waiting += 1) await spool.put('acme', settledExecution());
      let asked = 0;
      const left = await spool.drain(async () => {
        asked += 1;
        throw new Error('away');
      });
      expect([left, asked]).toEqual([10, 3]);
    });
  });
}
