import { machinePlaceSchema } from '#contract/machine.ts';
import type { Perform } from '#service/drive/performing.ts';
import { claimStep } from '#service/machine/claim-step.ts';
import { failMachine } from '#service/machine/end-machine.ts';
import type { PerformPorts } from '#service/machine/perform-work.ts';
import { inOrder, runAttempt } from './run-machine.ts';

/**
 * A machine of this name as its definition has it (lib/machine/definition.ts): its steps until one says `end`, and a step
 * whose error was caught fails the attempt. Answers the dispatches whose first attempts are its last steps.
 */
export async function playMachine(
  ports: PerformPorts,
  execution: { readonly tenant: string; readonly execution_id: string },
  name: string,
  performNow: Perform,
): Promise<readonly string[]> {
  for (let round = 0; ; round += 1) {
    const claimed = await claimStep(ports, { ...execution, lease: `${name}.${round}` });
    if (claimed.next === 'end') return [];
    const place = machinePlaceSchema.parse(claimed.place);
    const ended = await runAttempt(ports, place, performNow, inOrder).catch(() => failMachine(ports, place));
    if (ended.next === 'end') return ended.dispatches ?? [];
    await ports.clock.sleep(ended.wait_seconds * 1_000);
  }
}
