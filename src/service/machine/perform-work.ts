import type { MachineWork } from '#contract/machine.ts';
import { ready, type Settlement, type Work } from '#engine/index.ts';
import { tryNow } from '../drive/attempt.ts';
import { perform } from '../drive/perform.ts';
import type { DriveInput, DrivePorts, Perform } from '../drive/performing.ts';
import { type MachinePorts, replay } from './replay.ts';

export interface PerformPorts extends MachinePorts {
  readonly effects: DrivePorts;
}

/**
 * Performs one work item and stores its answer by one conditional write. Does nothing when it was answered before, when
 * the attempt is no longer held, or when the deadline comes first: Advance sees all three.
 */
export async function performWork(
  ports: PerformPorts,
  { place, item }: MachineWork,
  performNow: Perform = perform,
): Promise<void> {
  const replayed = await replay(ports, place);
  const work = replayed && ready(replayed.run).find(({ id, attempt }) => id === item.work_id && attempt === item.try);
  if (!work) return;
  const settlement = await beforeDeadline(ports, replayed.input, work, performNow);
  if (settlement === null) return;
  const { tenant, execution_id, attempt } = place;
  await ports.workResults.put(tenant, { execution_id, attempt, work_id: work.id }, settlement);
}

/** Null when the deadline of the attempt passed first; what is still under way is aborted. */
async function beforeDeadline(
  ports: PerformPorts,
  input: DriveInput,
  work: Work,
  performNow: Perform,
): Promise<Settlement | null> {
  const { effects } = ports;
  const stop = new AbortController();
  const left = Math.max(0, input.deadline - ports.clock.now());
  const late = ports.clock.sleep(left, stop.signal).then(
    () => null,
    () => null,
  );
  try {
    const trying = tryNow({ ports: effects, input, performWork: performNow }, work, stop.signal);
    return await Promise.race([trying, late]);
  } finally {
    stop.abort(new Error('the deadline passed'));
  }
}
