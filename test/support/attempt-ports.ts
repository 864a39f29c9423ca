import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import type { PerformPorts } from '#service/machine/perform-work.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { Clock, Log } from '#service/ports.ts';
import type { AttemptPorts } from '#service/submit/run-attempt.ts';
import { settledExecution } from '#test/ports/executions.ts';
import { compiled } from './settle-in-order.ts';
import { testSigner } from './test-signer.ts';

export const tenant = 'acme';
const silent: Log = { info() {}, warn() {}, error() {} };

/** A store of its own, where executions are admitted directly: no Card and no HTTP is needed. */
export interface AttemptStore extends AsyncDisposable {
  readonly store: Store;
  /** A pending execution of that Verifier, and the ports to run it. */
  admitted(spec: JsonObject, value: Execution['request']['inputs'], clock: Clock): Promise<Admitted>;
}

export interface Admitted {
  readonly execution: Execution;
  readonly ports: PerformPorts & Omit<AttemptPorts, 'drive'>;
  /** As it is stored now. */
  readonly find: () => Promise<Execution>;
}

export async function openAttemptStore(): Promise<AttemptStore> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-attempts-'));
  const store = await openStore(folder);
  return {
    store,
    async admitted(spec, inputs, clock) {
      const execution = pendingExecution(inputs, clock.now());
      const verifiers: PerformPorts['compiledVerifiers'] = boundedCache(1);
      verifiers.set(`${tenant} ${execution.verifier.uid} ${execution.subject.uid}`, {
        verifier: compiled(spec),
        verifier_ref: execution.verifier,
        subject_ref: execution.subject,
        verifier_sha256: 'a'.repeat(64),
        subject_sha256: 'b'.repeat(64),
      });
      const row = { principal: 'p', method: 'POST', path: '', key: v7(), body_sha256: '', answer: '' };
      await store.attempts.admit(tenant, execution, { ...row, created_at: clock.now() });
      const engine = { name: 'touchstone', version: '0' };
      const effects = effectsOf(store, clock);
      return {
        execution,
        ports: { ...store, signer: testSigner(), clock, log: silent, compiledVerifiers: verifiers, engine, effects },
        find: async () => (await store.executions.find(tenant, execution.execution_id)) as Execution,
      };
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function pendingExecution(inputs: Execution['request']['inputs'], now: number): Execution {
  const born = { status: 'pending', verdict: null, origin: 'enqueue', ended_at: null, result: null } as const;
  const request = { inputs, not_stored: [], route_overrides: {}, deployment_environment: null };
  return settledExecution({ ...born, request, created_at: new Date(now).toISOString() });
}

/** Every test scripts its work, so an effect that is asked all the same fails it. */
function effectsOf(store: Store, clock: Clock): DrivePorts {
  const refuse = () => Promise.reject(new Error('not scripted'));
  return {
    clock,
    log: silent,
    evidence: store.evidence,
    artifacts: { file: refuse },
    models: { generate: refuse },
    sandbox: { run: refuse, close: async () => {} },
    extract: { extract: refuse },
    traces: { read: refuse },
  };
}
