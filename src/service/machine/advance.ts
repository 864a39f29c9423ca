import type { AdvanceAnswer, MachineItem, MachinePlace } from '#contract/machine.ts';
import { isFinished, type Run, ready } from '#engine/index.ts';
import { pauseBefore } from '../drive/attempt.ts';
import { endsEarly } from '../drive/drive.ts';
import { postponeBusy } from '../submit/end-attempt.ts';
import { notLanded } from '../submit/execution-error.ts';
import { partsToCount } from './count-parts.ts';
import { answerAfter, endMachine, failMachine, timeOutMachine } from './end-machine.ts';
import { type MachinePorts, type Replayed, replay } from './replay.ts';

/**
 * Where the attempt stands and what must be performed next, by name (docs/spec/background.md §10). Reads only, except
 * when the attempt ends here (its deadline passed, capacity was refused, or a trace has not landed), and the plan of a
 * window that is counted in parts.
 */
export async function advance(ports: MachinePorts, place: MachinePlace): Promise<AdvanceAnswer> {
  const replayed = await replay(ports, place);
  if (replayed === null) return answerAfter(ports, place);
  if (ports.clock.now() >= place.deadline) return timeOutMachine(ports, place);
  const { run, results, input } = replayed;
  const settlements = results.map(({ settlement }) => settlement);
  const early = endsEarly(run, input, settlements);
  if (early !== null) return endEarly(ports, place, early);
  if (isFinished(run)) return { next: 'decide' };
  const parts = await partsToCount(ports.largeWindows, run, input);
  if (parts.length > 0) return { next: 'count', parts: [...parts] };
  return { next: 'work', items: itemsOf(run, replayed, place.deadline - ports.clock.now()) };
}

async function endEarly(
  ports: MachinePorts,
  place: MachinePlace,
  early: NonNullable<ReturnType<typeof endsEarly>>,
): Promise<AdvanceAnswer> {
  if (early.kind === 'not_landed') return failMachine(ports, place, notLanded);
  // An attempt that is given back starts again under the same number: its answers go first, or it would find them.
  await ports.workResults.clear(place.tenant, place.execution_id);
  return endMachine(ports, place, (held) => postponeBusy(ports, held, early.retry_after_ms));
}

function itemsOf(run: Run, { held }: Replayed, left: number): MachineItem[] {
  const items = ready(run).map((work) => ({
    work_id: work.id,
    try: work.attempt,
    wait_seconds: Math.ceil(pauseBefore(work, left) / 1_000),
  }));
  // The engine always has something to do until it is finished.
  if (items.length === 0) throw new Error(`execution ${held.execution.execution_id} waits for nothing`);
  return items;
}
