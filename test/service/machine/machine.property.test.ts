import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MachineWork } from '#contract/machine.ts';
import type { Outcome } from '#contract/result.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { drive } from '#service/drive/drive.ts';
import type { DrivePorts, Perform } from '#service/drive/performing.ts';
import type { PerformPorts } from '#service/machine/perform-work.ts';
import type { Execution } from '#service/ports/executions.ts';
import { runInputOf } from '#service/verify/accept-request.ts';
import { settledExecution } from '#test/ports/executions.ts';
import { impatientClock } from '#test/support/impatient-clock.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { type RandomCase, randomCase } from '#test/support/random-verifier.ts';
import { type Disorder, inOrder, runMachine } from '#test/support/run-machine.ts';
import { answerOf, compiled } from '#test/support/settle-in-order.ts';

const tenant = 'acme';
let folder: string;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-machine-'));
  store = await openStore(folder);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function portsFor(one: RandomCase, execution: Execution): PerformPorts {
  const clock = impatientClock();
  const verifiers: PerformPorts['compiledVerifiers'] = boundedCache(1);
  verifiers.set(`${tenant} ${execution.verifier.uid} ${execution.subject.uid}`, {
    verifier: compiled(one.spec),
    verifier_ref: execution.verifier,
    subject_ref: execution.subject,
  });
  const log = { info() {}, warn() {}, error() {} };
  const effects = { ...store, clock, log } as object as DrivePorts;
  return { ...store, clock, compiledVerifiers: verifiers, engine: { name: 'touchstone', version: '0' }, effects };
}

async function admitted(one: RandomCase): Promise<Execution> {
  const born = { status: 'pending', verdict: null, origin: 'enqueue', ended_at: null, result: null } as const;
  const inputs = { doc: { kind: 'json', value: one.evidence } } as const;
  const request = { inputs, not_stored: [], route_overrides: {}, deployment_environment: null };
  const execution = settledExecution({ ...born, request, created_at: new Date().toISOString() });
  await store.attempts.admit(tenant, execution, {
    principal: 'p',
    method: 'POST',
    path: '/v1/verification/enqueue',
    key: v7(),
    body_sha256: '',
    answer: '',
    created_at: Date.now(),
  });
  return execution;
}

/** Durations are what a host measures; everything else must be the same bytes. */
function bytesOf(outcome: Outcome): string {
  return JSON.stringify({ ...outcome, steps: outcome.steps.map((step) => ({ ...step, duration_ms: 0 })) });
}

async function inProcess(one: RandomCase, ports: PerformPorts, execution: Execution): Promise<string> {
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

async function throughMachine(
  one: RandomCase,
  ports: PerformPorts,
  execution: Execution,
  disorder: Disorder,
): Promise<string> {
  const perform: Perform = async (_ports, _input, work) => ({ result: answerOf(one, work) });
  const { execution_id } = execution;
  await runMachine(ports, { tenant, execution_id }, perform, disorder);
  const settled = await store.executions.find(tenant, execution_id);
  expect(settled).toMatchObject({ status: 'completed', attempts: 1, error: null });
  expect(await store.workResults.all(tenant, execution_id, 1)).toEqual([]);
  return bytesOf((JSON.parse(settled?.result ?? '') as { readonly outcome: Outcome }).outcome);
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
      const execution = await admitted(one);
      const ports = portsFor(one, execution);
      expect(await throughMachine(one, ports, execution, inOrder)).toBe(await inProcess(one, ports, execution));
    }),
    { numRuns: numRuns(60) },
  );
});

it('also when every step is executed twice, in any order, and once more later', async () => {
  await fc.assert(
    fc.asyncProperty(randomCase, fc.nat(2 ** 31), async (one, seed) => {
      const execution = await admitted(one);
      const ports = portsFor(one, execution);
      const disordered = await throughMachine(one, ports, execution, disorderOf(seed));
      expect(disordered).toBe(await inProcess(one, ports, execution));
    }),
    { numRuns: numRuns(60) },
  );
});
