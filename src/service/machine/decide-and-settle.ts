import type { DecideAnswer, MachinePlace } from '#contract/machine.ts';
import { isFinished } from '#engine/index.ts';
import { finish } from '../drive/drive.ts';
import { settleOutcome } from '../submit/end-attempt.ts';
import { answerAfter, endMachine } from './end-machine.ts';
import { type MachinePorts, replay } from './replay.ts';

/** Last step: the outcome, and the one transaction that settles the execution (docs/spec/background.md §10). */
export async function decideAndSettle(ports: MachinePorts, place: MachinePlace): Promise<DecideAnswer> {
  const replayed = await replay(ports, place);
  if (replayed === null) return answerAfter(ports, place);
  if (!isFinished(replayed.run)) return { next: 'advance' };
  const finished = finish(replayed.run);
  return endMachine(ports, place, (held) => settleOutcome(ports, held, finished));
}
