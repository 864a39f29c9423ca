import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';
import { noConsequences } from '#service/ports/consequences.ts';
import type { NewDispatch } from '#service/ports/dispatches.ts';
import type { HostPorts } from '#service/ports/host.ts';
import { recordOf } from '#test/ports/executions.ts';
import { keyRow, pendingExecution } from './stored-things.ts';

export const context = {
  execution_id: '01900000-0000-7000-8000-000000000001',
  binding_id: '01900000-0000-7000-8000-000000000002',
  subject_ref: 'Agent/desk-agent@1.0.0',
  verifier_ref: 'Verifier/tone@1.0.0',
  verdict: 'failed',
  completed_at: '2026-03-02T09:00:00.000Z',
  summary: 'tone@1.0.0 on desk-agent@1.0.0: failed',
};

/** One failed execution that was settled at `at` with a dispatch for each Operator. */
export async function settleWithDispatches(
  { attempts }: Pick<HostPorts, 'attempts'>,
  tenant: string,
  at: number,
  operators: readonly JsonObject[],
): Promise<readonly NewDispatch[]> {
  const created_at = new Date(at).toISOString();
  const execution = pendingExecution({ created_at, record: null });
  const { execution_id, binding_id } = execution;
  const dispatches = operators.map((body, index): NewDispatch => {
    const dispatch_id = `${execution_id.slice(0, 13)}-7000-8000-${String(index).padStart(12, '0')}`;
    const operator = body.uid === undefined ? { digest: digestOf(body), body } : body;
    return {
      dispatch_id,
      execution_id,
      binding_id: binding_id ?? '',
      operator,
      context: { dispatch_id, ...context },
      created_at: at,
    };
  });
  const lease = v7();
  await attempts.admit(tenant, execution, keyRow({ created_at: at }));
  await attempts.claim(tenant, execution_id, { lease, now: at, lease_until: at + 360_000 });
  const settled = await attempts.settle(tenant, execution_id, lease, {
    status: 'completed',
    verdict: 'failed',
    result: '{"outcome":{"verdict":"failed"}}',
    record: recordOf(),
    error: null,
    ended_at: created_at,
    consequences: { ...noConsequences, dispatches },
  });
  if (!settled) throw new Error('the execution did not settle');
  return dispatches;
}

function digestOf(body: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
