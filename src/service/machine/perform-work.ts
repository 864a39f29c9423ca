import type { MachineWork } from '#contract/machine.ts';
import { ready } from '#engine/index.ts';
import { tryNow } from '../drive/attempt.ts';
import { perform } from '../drive/perform.ts';
import type { DrivePorts, Perform } from '../drive/performing.ts';
import { beforeDeadline } from './before-deadline.ts';
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
  const { input } = replayed;
  const settlement = await beforeDeadline(ports.clock, input.deadline, (signal) =>
    tryNow({ ports: ports.effects, input, performWork: performNow }, work, signal),
  );
  if (settlement === null) return;
  const { tenant, execution_id, attempt } = place;
  await ports.workResults.put(tenant, { execution_id, attempt, work_id: work.id }, settlement);
}
