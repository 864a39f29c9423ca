import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import { toolPermissions } from '../auth/tool-permissions.ts';
import type { Driven } from '../drive/drive.ts';
import type { DriveInput } from '../drive/performing.ts';
import type { Execution, Executions, Spool } from '../ports/executions.ts';
import type { ExecutionRecord } from '../ports/records.ts';
import type { Ids } from '../ports.ts';
import { makeRecord, type RecordPorts } from '../records/make-record.ts';
import { showRecord, withRecord } from '../records/show-record.ts';
import { toRfc3339 } from '../time.ts';
import {
  type AcceptedRequest,
  type AcceptPorts,
  acceptRequest,
  newExecution,
  runInputOf,
  type VerificationRequest,
} from './accept-request.ts';
import { type ResultPorts, resultOf } from './result-of.ts';
import { type StorePorts, storeResult } from './store-result.ts';

/** How long the store may take before the result goes to the spool (docs/spec/background.md §1.5). */
const storeBudgetMs = 2_000;

export interface ExecutePorts extends AcceptPorts, ResultPorts, RecordPorts, StorePorts {
  readonly ids: Ids;
  readonly executions: Executions;
  readonly spool: Spool;
  /** Performs a run to its end (src/service/drive). */
  readonly drive: (input: DriveInput) => Promise<Driven>;
  /** Milliseconds of one direct call, 60,000 at most (docs/spec/wire.md §1.6). */
  readonly execute_ms: number;
}

/**
 * Judges now and answers the result as JSON text (docs/spec/wire.md §6.2). It is durable, with its record, before it is
 * answered. Refusals come before anything runs; a judge's failure is an inconclusive requirement, never
 * a refusal.
 */
export async function execute(
  ports: ExecutePorts,
  principal: Principal,
  request: VerificationRequest,
  signal?: AbortSignal,
): Promise<string> {
  const started = ports.clock.now();
  const accepted = await acceptRequest(ports, principal, request);
  const execution = newExecution(accepted, request, {
    execution_id: ports.ids.next(),
    status: 'running',
    origin: 'execute',
    principal: principal.id,
    created_at: started,
  });
  const { verifier } = accepted.target;
  const driven = await ports.drive({
    tenant: principal.tenant,
    permissions: toolPermissions(execution.request),
    verifier,
    run: runInputOf(verifier, execution),
    deadline: started + ports.execute_ms,
    ...(signal ? { signal } : {}),
  });
  return settle(ports, principal.tenant, { execution, target: accepted.target }, driven);
}

interface Judged extends Pick<AcceptedRequest, 'target'> {
  readonly execution: Execution;
}

async function settle(
  ports: ExecutePorts,
  tenant: string,
  { execution, target }: Judged,
  driven: Driven,
): Promise<string> {
  const ended = { ended_at: toRfc3339(ports.clock.now()) };
  switch (driven.kind) {
    case 'finished': {
      const { outcome, work } = driven;
      const result = resultOf(ports, execution, outcome);
      const record = await makeRecord(ports, { tenant, execution, target, result, work, ...ended });
      const { verdict } = outcome;
      const text = JSON.stringify(result);
      return keep(ports, tenant, { ...execution, ...ended, status: 'completed', verdict, result: text, record });
    }
    case 'busy':
      throw new Problem('WYRD_VERIFICATION_429_STAGING_FULL', 'no capacity for a block of this Verifier now', {
        retry_after_seconds: Math.max(1, Math.ceil(driven.retry_after_ms / 1_000)),
      });
    case 'not_landed':
      // Only background work waits for traces (docs/spec/verification.md §9.5).
      throw new Problem('WYRD_SPEC_500_INTERNAL', 'a direct run waited for a trace');
    case 'timed_out':
    case 'cancelled': {
      const code = 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT';
      const message =
        driven.kind === 'timed_out'
          ? `not done within ${ports.execute_ms / 1_000} s`
          : 'the host stopped before it was done';
      await ports.executions.storeSettled(tenant, {
        ...execution,
        ...ended,
        status: 'timed_out',
        error: { code, message },
      });
      throw new Problem(code, message, { execution_id: execution.execution_id });
    }
  }
}

/** Durable before it is answered: in the store, or in the spool when the store refuses (docs/spec/background.md §1.5). */
async function keep(ports: ExecutePorts, tenant: string, execution: Settled): Promise<string> {
  const failure = await storeInTime(ports, tenant, execution);
  if (failure === null) return withRecord(execution.result, showRecord(execution.record));
  ports.log.error('result not stored, spooling it', { execution_id: execution.execution_id, error: failure });
  await spool(ports, tenant, execution);
  return withRecord(execution.result, { state: 'pending' });
}

interface Settled extends Execution {
  readonly result: string;
  readonly record: ExecutionRecord;
}

/** Null when it is stored; else why not. */
async function storeInTime(ports: ExecutePorts, tenant: string, execution: Execution): Promise<string | null> {
  const budget = new AbortController();
  const stored = storeResult(ports, tenant, execution).then(
    () => null,
    (error: unknown) => String(error),
  );
  const late = ports.clock.sleep(storeBudgetMs, budget.signal).then(() => 'the store took too long');
  try {
    return await Promise.race([stored, late]);
  } finally {
    budget.abort();
  }
}

async function spool(ports: ExecutePorts, tenant: string, execution: Execution): Promise<void> {
  try {
    await ports.spool.put(tenant, execution);
  } catch (error) {
    throw notStored(error);
  }
}

function notStored(cause: unknown): Problem {
  return new Problem('WYRD_VERIFICATION_502_DEPENDENCY_FAILED', 'the result could not be stored', undefined, { cause });
}
