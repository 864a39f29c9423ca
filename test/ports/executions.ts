import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Execution, ExecutionFilter, Executions } from '#service/ports/executions.ts';
import type { ExecutionRecord } from '#service/ports/records.ts';

export function settledExecution(more: Partial<Execution> = {}): Execution {
  return {
    execution_id: v7(),
    status: 'completed',
    verdict: 'passed',
    origin: 'execute',
    verifier: { kind: 'Verifier', name: 'tone', version: '1.0.0', uid: v7() },
    subject: { kind: 'Agent', name: 'desk-agent', version: '1.0.0', uid: v7() },
    binding_id: v7(),
    owner_card_uid: v7(),
    group_id: null,
    run_id: null,
    principal: 'p',
    error: null,
    created_at: '2026-03-02T09:00:00.000Z',
    ended_at: '2026-03-02T09:00:01.000Z',
    request: { inputs: {}, not_stored: [], route_overrides: {}, deployment_environment: null },
    result: '{"outcome":{"verdict":"passed"}}',
    record: null,
    ...more,
  };
}

/** A record of the right form over this payload; nobody checks its signature here. */
export function recordOf(
  state: ExecutionRecord['state'] = 'signed',
  payload: string = JSON.stringify({ execution: v7() }),
): ExecutionRecord {
  const sha256 = createHash('sha256').update(payload).digest('hex');
  if (state === 'pending') return { state, sha256, text: payload };
  const signatures = [{ keyid: `ed25519:${'0'.repeat(16)}`, sig: 'AAAA' }];
  const envelope = { payloadType: 't', payload: Buffer.from(payload).toString('base64'), signatures };
  return { state, sha256, text: JSON.stringify({ envelope }) };
}

/** What every Executions store keeps (docs/spec/background.md §1). */
export function testExecutions(name: string, make: () => Promise<Executions>): void {
  describe(`Executions: ${name}`, () => {
    it('gives back what was stored, byte for byte, to its tenant alone', async () => {
      const executions = await make();
      const result = '{"z":1,  "a":[1e3,"é\\u0000"]}';
      const stored = settledExecution({ result, group_id: 'order-77', run_id: 'r-9', record: recordOf() });
      await executions.storeSettled('acme', stored);
      expect(await executions.find('acme', stored.execution_id)).toEqual(stored);
      expect(await executions.find('other', stored.execution_id)).toBeNull();
      expect((await executions.list('other', {}, { limit: 10, after: null })).items).toEqual([]);
    });

    it('never changes a settled execution', async () => {
      const executions = await make();
      const stored = settledExecution({ record: recordOf() });
      await executions.storeSettled('acme', stored);
      await executions.storeSettled('acme', { ...stored, verdict: 'failed', result: '{}', record: recordOf() });
      expect(await executions.find('acme', stored.execution_id)).toEqual(stored);
    });

    const failed = settledExecution({
      verdict: 'failed',
      group_id: 'g',
      run_id: 'r',
      created_at: '2026-03-03T00:00:00.000Z',
    });
    const timedOut = settledExecution({
      status: 'timed_out',
      verdict: null,
      result: null,
      verifier: { kind: 'Verifier', name: 'steady', version: '2.0.0', uid: v7() },
      error: { code: 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT', message: 'not done within 60 s' },
      created_at: '2026-03-04T00:00:00.000Z',
    });
    const passed = settledExecution();
    const filters: [string, ExecutionFilter, Execution[]][] = [
      ['nothing', {}, [timedOut, failed, passed]],
      ['status', { status: 'timed_out' }, [timedOut]],
      ['verdict', { verdict: 'failed' }, [failed]],
      ['Verifier name', { verifier: { by: 'name', name: 'tone' } }, [failed, passed]],
      ['Verifier version', { verifier: { by: 'name', name: 'steady', version: '2.0.0' } }, [timedOut]],
      ['another version', { verifier: { by: 'name', name: 'steady', version: '1.0.0' } }, []],
      ['Verifier uid', { verifier: { by: 'uid', uid: timedOut.verifier.uid! } }, [timedOut]],
      ['subject uid', { subject: { by: 'uid', uid: passed.subject.uid! } }, [passed]],
      ['binding', { binding: failed.binding_id! }, [failed]],
      ['group', { group_id: 'g' }, [failed]],
      ['run', { run_id: 'r' }, [failed]],
      ['origin', { origin: 'enqueue' }, []],
      ['from', { from: '2026-03-03T00:00:00.000Z' }, [timedOut, failed]],
      ['to, exclusive', { to: '2026-03-03T00:00:00.000Z' }, [passed]],
      ['allowed Verifiers', { verifier_uids: [failed.verifier.uid!, 'x'] }, [failed]],
      ['no allowed Verifier', { verifier_uids: [] }, []],
    ];
    it.each(filters)('lists by %s', async (_name, filter, expected) => {
      const executions = await make();
      for (const [index, execution] of [passed, failed, timedOut].entries()) {
        const id = `00000000-0000-7000-8000-00000000000${index}`;
        await executions.storeSettled('acme', { ...execution, execution_id: id });
      }
      const { items } = await executions.list('acme', filter, { limit: 10, after: null });
      expect(items.map((item) => item.created_at)).toEqual(expected.map((item) => item.created_at));
    });

    it('pages through everything once, newest first', async () => {
      const executions = await make();
      const all = Array.from({ length: 5 }, () => settledExecution());
      await Promise.all(all.map((execution) => executions.storeSettled('acme', execution)));
      const first = await executions.list('acme', {}, { limit: 2, after: null });
      const second = await executions.list('acme', {}, { limit: 2, after: first.next });
      const third = await executions.list('acme', {}, { limit: 2, after: second.next });
      const seen = [first, second, third].flatMap((page) => page.items.map((item) => item.execution_id));
      expect(seen).toEqual(
        all
          .map((execution) => execution.execution_id)
          .sort()
          .reverse(),
      );
      expect(third.next).toBeNull();
    });

    it('knows the newest execution of each binding', async () => {
      const executions = await make();
      const binding = v7();
      const [first, second] = [settledExecution({ binding_id: binding }), settledExecution({ binding_id: binding })];
      await executions.storeSettled('acme', second);
      await executions.storeSettled('acme', first);
      expect([...(await executions.lastOfBindings('acme', [binding, v7()]))]).toEqual([[binding, second.execution_id]]);
      expect((await executions.lastOfBindings('other', [binding])).size).toBe(0);
    });
  });
}
