import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Executions } from '#service/ports/executions.ts';
import type { Records } from '#service/ports/records.ts';
import type { Retention } from '#service/ports/retention.ts';
import type { Evidence } from '#service/ports.ts';
import { recordOf, settledExecution } from './executions.ts';

export interface RetentionStore {
  readonly executions: Executions;
  readonly records: Records;
  readonly evidence: Evidence;
  readonly retention: Retention;
}

/** Deleting on request (docs/spec/records.md §5). What goes by age is each host's own. */
export function testRetention(name: string, make: () => Promise<RetentionStore>): void {
  const tenant = 'acme';

  async function* once(bytes: Uint8Array) {
    yield bytes;
  }

  describe(`Retention: ${name}`, () => {
    it('forgets inputs and result of one execution; its state and its record stay', async () => {
      const { executions, records, retention } = await make();
      const inputs = { answer: { kind: 'json', value: 'about a person' } } as const;
      const request = { inputs, not_stored: [], route_overrides: {}, deployment_environment: 'prod' };
      const stored = settledExecution({ request, record: recordOf(), group_id: 'g' });
      const other = settledExecution({ request, record: recordOf() });
      await executions.storeSettled(tenant, stored);
      await executions.storeSettled(tenant, other);
      const { execution_id: id } = stored;
      expect(await retention.forget('other', id)).toBe(false);
      expect(await retention.forget(tenant, v7())).toBe(false);
      expect(await retention.forget(tenant, id)).toBe(true);
      const left = { ...stored, result: null, request: { ...request, inputs: {} } };
      expect(await executions.find(tenant, id)).toEqual(left);
      expect(await records.find(tenant, id)).toEqual(stored.record);
      expect(await executions.find(tenant, other.execution_id)).toEqual(other);
      expect(await retention.forget(tenant, id)).toBe(true);
    });

    it('forgets texts that are too long for a row too', async () => {
      const { executions, retention } = await make();
      const inputs = { answer: { kind: 'json', value: 'é'.repeat(400_000) } } as const;
      const request = { inputs, not_stored: [], route_overrides: {}, deployment_environment: null };
      const result = JSON.stringify({ text: 'é'.repeat(400_000) });
      const stored = settledExecution({ request, result, record: recordOf() });
      await executions.storeSettled(tenant, stored);
      expect(await retention.forget(tenant, stored.execution_id)).toBe(true);
      const left = await executions.find(tenant, stored.execution_id);
      expect([left?.result, left?.request.inputs]).toEqual([null, {}]);
    });

    it('keeps what is not settled', async () => {
      const { executions, retention } = await make();
      const running = settledExecution({ status: 'running', verdict: null, result: null, ended_at: null });
      await executions.storeSettled(tenant, running);
      expect(await retention.forget(tenant, running.execution_id)).toBe(false);
      expect(await executions.find(tenant, running.execution_id)).toEqual(running);
    });

    it('forgets one file of one tenant', async () => {
      const { evidence, retention } = await make();
      const bytes = Buffer.from(v7());
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      for (const of of [tenant, 'other']) await evidence.write(of, { sha256, size_bytes: bytes.length }, once(bytes));
      await retention.forgetEvidence(tenant, sha256);
      await retention.forgetEvidence(tenant, sha256);
      expect(await evidence.read(tenant, sha256)).toBeNull();
      expect((await evidence.sizes(tenant, [sha256])).size).toBe(0);
      expect(Buffer.from((await evidence.read('other', sha256)) ?? [])).toEqual(bytes);
    });
  });
}
