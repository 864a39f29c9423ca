import type { MachinePlace } from '#contract/machine.ts';
import { begin, type Run, settle } from '#engine/index.ts';
import { toolPermissions } from '../auth/tool-permissions.ts';
import { type CompiledVerifier, compiledVerifier } from '../cards/compiled-verifiers.ts';
import type { DriveInput } from '../drive/performing.ts';
import type { Attempts, StoredWorkResult, WorkResults } from '../ports/attempts.ts';
import type { Dispatches } from '../ports/dispatches.ts';
import type { Execution, Executions } from '../ports/executions.ts';
import type { LargeWindows } from '../ports/large-windows.ts';
import type { EndPorts, HeldAttempt } from '../submit/end-attempt.ts';
import { maxAttempts } from '../submit/rules.ts';
import { runInputOf } from '../verify/accept-request.ts';

export interface MachinePorts extends EndPorts {
  readonly attempts: Attempts;
  readonly executions: Executions;
  readonly workResults: WorkResults;
  readonly dispatches: Dispatches;
  /** Where one function cannot count every window. */
  readonly largeWindows?: LargeWindows;
}

/** An attempt as far as its stored work results carry it. */
export interface Replayed {
  readonly run: Run;
  readonly results: readonly StoredWorkResult[];
  readonly held: HeldAttempt;
  readonly input: DriveInput;
}

/**
 * The run of this attempt, computed again by the engine from what is stored (docs/spec/verification.md §10.10). Null
 * when the attempt is no longer held under this lease.
 */
export async function replay(ports: MachinePorts, place: MachinePlace): Promise<Replayed | null> {
  const held = await heldAttempt(ports, place);
  if (held === null) return null;
  const { tenant, execution_id, attempt, deadline } = place;
  const { verifier } = await targetOf(ports, tenant, held.execution);
  const results = await ports.workResults.all(tenant, execution_id, attempt);
  const input: DriveInput = {
    tenant,
    permissions: toolPermissions(held.execution.request),
    verifier,
    run: runInputOf(verifier, held.execution),
    deadline,
    wait_for_traces: attempt < maxAttempts,
    pinned_traces: held.execution.request.pinned_traces ?? {},
    subject_uid: held.execution.subject.uid ?? '',
    verifier_uid: held.execution.verifier.uid ?? '',
    attempt_of: { execution_id, attempt },
  };
  // Judging that outlasts the deadline is cut there, and whoever reads the run then finds the deadline passed.
  const isLate = () => ports.clock.now() >= deadline;
  let run = begin(verifier, input.run, isLate);
  for (const { work_id, settlement } of results) run = settle(run, work_id, settlement, isLate);
  return { run, results, held, input };
}

export async function heldAttempt(ports: MachinePorts, place: MachinePlace): Promise<HeldAttempt | null> {
  const { tenant, execution_id, attempt, lease, deadline } = place;
  if (await ports.attempts.isStopped(tenant, execution_id, lease)) return null;
  const execution = await ports.executions.find(tenant, execution_id);
  return execution && { tenant, execution, attempt, lease, deadline };
}

function targetOf(ports: MachinePorts, tenant: string, execution: Execution): Promise<CompiledVerifier> {
  return compiledVerifier(ports, tenant, {
    verifier_uid: execution.verifier.uid ?? '',
    subject_uid: execution.subject.uid ?? '',
  });
}
