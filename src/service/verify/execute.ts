import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Outcome, VerificationResult } from '#contract/result.ts';
import type { Principal } from '../auth/principal.ts';
import { requireVerifier } from '../auth/principal.ts';
import type { CompilePorts, CompiledVerifier } from '../cards/compiled-verifiers.ts';
import { compiledVerifier } from '../cards/compiled-verifiers.ts';
import type { Driven } from '../drive/drive.ts';
import type { DriveInput } from '../drive/performing.ts';
import type { Ids, Log } from '../ports.ts';
import type { Execution, ExecutionRequest, Executions, Spool } from '../ports/executions.ts';
import type { BindingState } from '../ports/registry.ts';
import { toRfc3339 } from '../time.ts';
import { findTarget, type TargetPorts } from './find-target.ts';
import { type PinPorts, pinInputs } from './pin-inputs.ts';
import { checkRouteOverrides } from './route-overrides.ts';

/** How long the store may take before the result goes to the spool (docs/spec/background.md §1.5). */
const storeBudgetMs = 2_000;

export interface ExecutePorts extends TargetPorts, PinPorts, CompilePorts {
  readonly ids: Ids;
  readonly log: Log;
  readonly executions: Executions;
  readonly spool: Spool;
  /** Performs a run to its end (src/service/drive). */
  readonly drive: (input: DriveInput) => Promise<Driven>;
  readonly engine: { readonly name: string; readonly version: string };
  /** Milliseconds of one direct call, 60,000 at most (docs/spec/wire.md §1.6). */
  readonly execute_ms: number;
}

/** The body of `execute` (docs/spec/wire.md §6.1), its form already checked. */
export interface ExecuteRequest {
  readonly verifier_card_uid: string;
  readonly card_uid: string;
  readonly run_id: string | null;
  readonly group_id: string | null;
  readonly inputs: JsonObject;
  readonly execution_route_overrides: JsonObject;
  readonly deployment_environment: string | null;
  /** Owner version named by the caller's header. */
  readonly workload_uid: string | null;
}

/**
 * Judges now and answers the result as the JSON text that was stored (docs/spec/wire.md §6.2). The text is durable
 * before it is answered. Refusals come before anything runs; a judge's failure is an inconclusive requirement, never
 * a refusal.
 */
export async function execute(
  ports: ExecutePorts,
  principal: Principal,
  request: ExecuteRequest,
  signal?: AbortSignal,
): Promise<string> {
  const started = ports.clock.now();
  requireVerifier(principal, request.verifier_card_uid);
  const binding = await findTarget(ports, principal, request);
  const target = await compiledVerifier(ports, principal.tenant, binding);
  if (target.verifier.mode === 'window') {
    throw new Problem('WYRD_VERIFICATION_422_INPUT_UNSUPPORTED', 'this Verifier judges windows of samples', {
      field: '/verifier',
    });
  }
  const overrides = checkRouteOverrides(target.verifier, request.execution_route_overrides);
  const pinned = await pinInputs(ports, principal.tenant, target.verifier, request.inputs);
  const driven = await ports.drive({
    tenant: principal.tenant,
    verifier: target.verifier,
    run: { started_at: toRfc3339(started), ...pinned, route_overrides: overrides },
    deadline: started + ports.execute_ms,
    ...(signal ? { signal } : {}),
  });
  const execution = startExecution(
    ports,
    principal,
    request,
    { binding, target, started },
    {
      ...pinned,
      route_overrides: request.execution_route_overrides,
      deployment_environment: request.deployment_environment,
    },
  );
  return settle(ports, principal.tenant, execution, driven);
}

interface Found {
  readonly binding: BindingState;
  readonly target: CompiledVerifier;
  readonly started: number;
}

function startExecution(
  ports: ExecutePorts,
  principal: Principal,
  request: ExecuteRequest,
  { binding, target, started }: Found,
  pinned: ExecutionRequest,
): Execution {
  return {
    execution_id: ports.ids.next(),
    status: 'running',
    verdict: null,
    origin: 'execute',
    verifier: target.verifier_ref,
    subject: target.subject_ref,
    binding_id: binding.binding_id,
    owner_card_uid: binding.owner_uid,
    group_id: request.group_id,
    run_id: request.run_id,
    principal: principal.id,
    error: null,
    created_at: toRfc3339(started),
    ended_at: null,
    request: pinned,
    result: null,
  };
}

async function settle(ports: ExecutePorts, tenant: string, execution: Execution, driven: Driven): Promise<string> {
  const ended = { ended_at: toRfc3339(ports.clock.now()) };
  switch (driven.kind) {
    case 'finished': {
      const result = resultText(ports, execution, driven.outcome);
      const { verdict } = driven.outcome;
      return keep(ports, tenant, { ...execution, ...ended, status: 'completed', verdict, result }, result);
    }
    case 'busy':
      throw new Problem('WYRD_VERIFICATION_429_STAGING_FULL', 'no capacity for a block of this Verifier now', {
        retry_after_seconds: Math.max(1, Math.ceil(driven.retry_after_ms / 1_000)),
      });
    case 'timed_out':
    case 'cancelled': {
      const code = 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT';
      const message = driven.kind === 'timed_out' ? `not done within ${ports.execute_ms / 1_000} s` : 'the host stopped before it was done';
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

function resultText(ports: ExecutePorts, execution: Execution, outcome: Outcome): string {
  const environment = execution.request.deployment_environment;
  const result: VerificationResult = {
    execution_id: execution.execution_id,
    ...(execution.run_id === null ? {} : { run_id: execution.run_id }),
    verifier: execution.verifier,
    subject: execution.subject,
    ...(environment === null ? {} : { deployment_environment: environment }),
    outcome,
    engine: ports.engine,
  };
  return JSON.stringify(result);
}

/** Durable before it is answered: in the store, or in the spool when the store refuses (docs/spec/background.md §1.5). */
async function keep(ports: ExecutePorts, tenant: string, execution: Execution, result: string): Promise<string> {
  const failure = await storeInTime(ports, tenant, execution);
  if (failure === null) return result;
  ports.log.error('result not stored, spooling it', { execution_id: execution.execution_id, error: failure });
  return spool(ports, tenant, execution, result);
}

/** Null when it is stored; else why not. */
async function storeInTime(ports: ExecutePorts, tenant: string, execution: Execution): Promise<string | null> {
  const budget = new AbortController();
  const stored = ports.executions.storeSettled(tenant, execution).then(
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

async function spool(ports: ExecutePorts, tenant: string, execution: Execution, result: string): Promise<string> {
  try {
    await ports.spool.put(tenant, execution);
    return result;
  } catch (error) {
    throw notStored(error);
  }
}

function notStored(cause: unknown): Problem {
  return new Problem('WYRD_VERIFICATION_502_DEPENDENCY_FAILED', 'the result could not be stored', undefined, { cause });
}
