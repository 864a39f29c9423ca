import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Attempts } from '#service/ports/attempts.ts';
import type { Executions } from '#service/ports/executions.ts';
import type { Records } from '#service/ports/records.ts';
import { recordOf, settledExecution } from './executions.ts';

/** Records, written with the settled state (docs/spec/records.md §1). */
export function testRecords(
  name: string,
  make: () => Promise<{ readonly executions: Executions; readonly records: Records; readonly attempts: Attempts }>,
): void {
  describe(`Records: ${name}`, () => {
    it('are found by their execution, by their tenant alone', async () => {
      const { executions, records } = await make();
      const stored = settledExecution({ record: recordOf() });
      await executions.storeSettled('acme', stored);
      expect(await records.find('acme', stored.execution_id)).toEqual(stored.record);
      expect(await records.find('other', stored.execution_id)).toBeNull();
      expect(await records.find('acme', v7())).toBeNull();
      expect(await records.pending(10)).toEqual([]);
    });

    it('wait for their signature, oldest first, and are signed once', async () => {
      const { executions, records } = await make();
      const [first, second] = [recordOf('pending', '{"a":1}'), recordOf('pending', '{"b":2}')];
      const one = settledExecution({ record: first });
      const two = settledExecution({ record: second });
      await executions.storeSettled('acme', one);
      await executions.storeSettled('bolt', two);
      const waiting = await records.pending(10);
      expect(waiting.map(({ tenant, execution_id }) => [tenant, execution_id])).toEqual([
        ['acme', one.execution_id],
        ['bolt', two.execution_id],
      ]);
      expect(waiting[0]).toMatchObject({ ended_at: one.ended_at, record: first });
      expect(await records.pending(1)).toHaveLength(1);
      const signed = recordOf('signed', first.text);
      expect(await records.sign('bolt', one.execution_id, signed)).toBe(false);
      expect(await records.sign('acme', one.execution_id, { ...signed, sha256: second.sha256 })).toBe(false);
      expect(await records.sign('acme', one.execution_id, signed)).toBe(true);
      expect(await records.sign('acme', one.execution_id, { ...signed, text: '{}' })).toBe(false);
      expect((await executions.find('acme', one.execution_id))?.record).toEqual(signed);
      expect(await records.pending(10)).toHaveLength(1);
    });

    it('of five megabytes are kept byte for byte', async () => {
      const { executions, records } = await make();
      const record = recordOf('signed', JSON.stringify({ text: 'é'.repeat(1_800_000) }));
      const stored = settledExecution({ record });
      await executions.storeSettled('acme', stored);
      expect(await records.find('acme', stored.execution_id)).toEqual(record);
    });
  });
}
