import type { MachineEnd, MachinePlace } from '#contract/machine.ts';
import { type Ended, failAttempt, type HeldAttempt, settleTimedOut } from '../submit/end-attempt.ts';
import { type ExecutionError, lostWorker } from '../submit/execution-error.ts';
import { pauseAfter } from '../submit/rules.ts';
import { heldAttempt, type MachinePorts } from './replay.ts';

/** The machine caught an error of a step: another attempt after a pause, or `errored` (docs/spec/background.md §1.1). */
export function failMachine(
  ports: MachinePorts,
  place: MachinePlace,
  error: ExecutionError = lostWorker,
): Promise<MachineEnd> {
  return endMachine(ports, place, (held) => failAttempt(ports, held, error));
}

/** The attempt's deadline passed. */
export function timeOutMachine(ports: MachinePorts, place: MachinePlace): Promise<MachineEnd> {
  return endMachine(ports, place, (held) => settleTimedOut(ports, held));
}

/**
 * Ends the attempt by one conditional write, then forgets its work results, which nobody reads any more. A repeat after
 * the write finds the attempt no longer held and answers from what is stored.
 */
export async function endMachine(
  ports: MachinePorts,
  place: MachinePlace,
  end: (held: HeldAttempt) => Promise<Ended>,
): Promise<MachineEnd> {
  const held = await heldAttempt(ports, place);
  if (held === null) return answerAfter(ports, place);
  const ended = await end(held);
  if (ended.kind === 'lost') return answerAfter(ports, place);
  await ports.workResults.clear(place.tenant, place.execution_id);
  if (ended.kind === 'settled') return endWith(ports, place);
  return { next: 'claim', wait_seconds: Math.max(0, Math.ceil((ended.not_before - ports.clock.now()) / 1_000)) };
}

/**
 * What comes next when this attempt is not held any more. Claiming again is always safe: it is conditional, and what
 * this machine leaves waiting the sweep starts.
 */
export async function answerAfter(ports: MachinePorts, place: MachinePlace): Promise<MachineEnd> {
  const { tenant, execution_id, attempt } = place;
  const execution = await ports.executions.find(tenant, execution_id);
  if (execution?.status === 'retrying') return { next: 'claim', wait_seconds: pauseAfter(attempt) / 1_000 };
  // A performer that came late may have stored an answer after the execution was settled.
  if (execution?.status !== 'running') await ports.workResults.clear(tenant, execution_id);
  return endWith(ports, place);
}

/** The end, with what its settled state made for Operators: their first attempts are the machine's. */
async function endWith(ports: MachinePorts, { tenant, execution_id }: MachinePlace): Promise<MachineEnd> {
  const made = await ports.dispatches.ofExecution(tenant, execution_id);
  return made.length === 0 ? { next: 'end' } : { next: 'end', dispatches: made.map(({ dispatch_id }) => dispatch_id) };
}
