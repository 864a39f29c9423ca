import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MachineWork } from '#contract/machine.ts';
import type { Outcome } from '#contract/result.ts';
import { drive } from '#service/drive/drive.ts';
import type { Perform } from '#service/drive/performing.ts';
import { runInputOf } from '#service/verify/accept-request.ts';
import { type Admitted, type AttemptStore, openAttemptStore, tenant } from '#test/support/attempt-ports.ts';
import { impatientClock } from '#test/support/impatient-clock.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { type RandomCase, randomCase } from '#test/support/random-verifier.ts';
import { type Disorder, inOrder, runMachine } from '#test/support/run-machine.ts';
import { answerOf, compiled } from '#test/support/settle-in-order.ts';

let attempts: AttemptStore;

beforeAll(async () => {
  attempts = await openAttemptStore();
});
afterAll(() => attempts[Symbol.asyncDispose]());

function admit(one: RandomCase): Promise<Admitted> {
  return attempts.admitted(one.spec, { doc: { kind: 'json', value: one.evidence } }, impatientClock());
}

/** Durations are what a host measures; everything else must be the same bytes. */
function bytesOf(outcome: Outcome): string {
  return JSON.stringify({ ...outcome, steps: outcome.steps.map((step) => ({ ...step, duration_ms: 0 })) });
}

async function inProcess(one: RandomCase, { ports, execution }: Admitted): Promise<string> {
  const verifier = compiled(one.spec);
  const run = runInputOf(verifier, execution);
  const driven = await drive(
    ports.effects,
    { tenant, verifier, run, deadline: ports.clock.now() + 300_000 },
    async (_ports, _input, work) => ({ result: answerOf(one, work) }),
  );
  if (driven.kind !== 'finished') throw new Error(driven.kind);
  return bytesOf(driven.outcome);
}

async function throughMachine(one: RandomCase, admitted: Admitted, disorder: Disorder): Promise<string> {
  const { ports, execution } = admitted;
  const perform: Perform = async (_ports, _input, work) => ({ result: answerOf(one, work) });
  const { execution_id } = execution;
  await runMachine(ports, { tenant, execution_id }, perform, disorder);
  const settled = await admitted.find();
  expect(settled).toMatchObject({ status: 'completed', attempts: 1, error: null });
  expect(await ports.workResults.all(tenant, execution_id, 1)).toEqual([]);
  return bytesOf((JSON.parse(settled.result ?? '') as { readonly outcome: Outcome }).outcome);
}

/** Shuffles and repeats by a seed of the property, so that a failure can be run again. */
function disorderOf(seed: number): Disorder {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    times: 2,
    shuffle: (items) => [...items].sort(() => random() - 0.5),
    stale: (past: readonly MachineWork[]) => past.filter(() => random() < 0.5),
  };
}

it('the machine ends in the same bytes as the in-process driver', async () => {
  await fc.assert(
    fc.asyncProperty(randomCase, async (one) => {
      const admitted = await admit(one);
      expect(await throughMachine(one, admitted, inOrder)).toBe(await inProcess(one, admitted));
    }),
    { numRuns: numRuns(60) },
  );
});

it('also when every step is executed twice, in any order, and once more later', async () => {
  await fc.assert(
    fc.asyncProperty(randomCase, fc.nat(2 ** 31), async (one, seed) => {
      const admitted = await admit(one);
      expect(await throughMachine(one, admitted, disorderOf(seed))).toBe(await inProcess(one, admitted));
    }),
    { numRuns: numRuns(60) },
  );
});
