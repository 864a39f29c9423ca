import type { z } from 'zod';
import {
  advanceAnswerSchema,
  claimAnswerSchema,
  decideAnswerSchema,
  type MachineEnd,
  type MachinePlace,
  type MachineWork,
  machineCountSchema,
  machinePlaceSchema,
  machineStartSchema,
  machineWorkSchema,
} from '#contract/machine.ts';
import type { Perform } from '#service/drive/performing.ts';
import { advance } from '#service/machine/advance.ts';
import { claimStep } from '#service/machine/claim-step.ts';
import { countPart } from '#service/machine/count-parts.ts';
import { decideAndSettle } from '#service/machine/decide-and-settle.ts';
import { type PerformPorts, performWork } from '#service/machine/perform-work.ts';

/** How the steps are executed: once in order, or as an unkind machine would. */
export interface Disorder {
  /** Executions of each step. */
  readonly times: number;
  /** The order in which the items of a Map are performed. */
  readonly shuffle: <Item>(items: readonly Item[]) => readonly Item[];
  /** Steps of long ago that are executed once more. */
  readonly stale: (past: readonly MachineWork[]) => readonly MachineWork[];
}

export const inOrder: Disorder = { times: 1, shuffle: (items) => items, stale: () => [] };

/** The state machine in words: every payload passes its schema and JSON, as between two functions. */
export async function runMachine(
  ports: PerformPorts,
  execution: { readonly tenant: string; readonly execution_id: string },
  performNow: Perform,
  disorder: Disorder = inOrder,
): Promise<void> {
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const start = carried(machineStartSchema, { ...execution, lease: `machine-${attempt}` });
    const claimed = await repeated(disorder, claimAnswerSchema, () => claimStep(ports, start));
    if (claimed.next === 'end') return;
    const ended = await runAttempt(ports, carried(machinePlaceSchema, claimed.place), performNow, disorder);
    if (ended.next === 'end') return;
    await ports.clock.sleep(ended.wait_seconds * 1_000);
  }
  throw new Error('the machine does not end');
}

export async function runAttempt(
  ports: PerformPorts,
  place: MachinePlace,
  performNow: Perform,
  disorder: Disorder,
): Promise<MachineEnd> {
  const past: MachineWork[] = [];
  for (;;) {
    const answer = await repeated(disorder, advanceAnswerSchema, () => advance(ports, place));
    if (answer.next === 'claim' || answer.next === 'end') return answer;
    if (answer.next === 'decide') {
      const decided = await repeated(disorder, decideAnswerSchema, () => decideAndSettle(ports, place));
      if (decided.next !== 'advance') return decided;
      continue;
    }
    if (answer.next === 'count') {
      const { samples } = ports.effects;
      if (samples?.largeWindows === undefined) throw new Error('a host without parts was asked for some');
      const counting = { ...ports, baselines: samples.baselines, largeWindows: samples.largeWindows };
      for (const part of disorder.shuffle(answer.parts)) {
        const one = carried(machineCountSchema, { place, part });
        await Promise.all(Array.from({ length: disorder.times }, () => countPart(counting, one)));
      }
      continue;
    }
    const work = disorder
      .shuffle(answer.items)
      .map((item) => carried(machineWorkSchema, { place, item: { ...item, wait_seconds: 0 } }));
    for (const one of [...work, ...disorder.stale(past)]) {
      await Promise.all(Array.from({ length: disorder.times }, () => performWork(ports, one, performNow)));
    }
    past.push(...work);
  }
}

/** Every execution of a step must say the same: the machine follows any of them. */
async function repeated<Answer>(
  { times }: Disorder,
  schema: z.ZodType<Answer>,
  step: () => Promise<Answer>,
): Promise<Answer> {
  let answer = carried(schema, await step());
  for (let time = 1; time < times; time += 1) answer = carried(schema, await step());
  return answer;
}

function carried<Payload>(schema: z.ZodType<Payload>, payload: unknown): Payload {
  const text = JSON.stringify(payload);
  if (text.length > 262_144) throw new Error('a payload above 256 KB');
  return schema.parse(JSON.parse(text));
}
