import { LambdaClient } from '@aws-sdk/client-lambda';
import { awsPorts } from '#adapters/aws/aws-ports.ts';
import { callFunction } from '#adapters/aws/call-function.ts';
import { bucketCarrier } from '#adapters/aws/carrier.ts';
import { makeAwsClients } from '#adapters/aws/clients.ts';
import { remoteExtract } from '#adapters/aws/remote-extract.ts';
import { remoteModels } from '#adapters/aws/remote-models.ts';
import { remoteSandbox } from '#adapters/aws/remote-sandbox.ts';
import { functionEnvironment } from '#contract/aws-functions.ts';
import { awsEnvironmentSchema, environmentNames } from '#contract/aws-names.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { registryArtifacts } from '#service/cards/registry-artifacts.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import type { HostPorts } from '#service/ports/host.ts';
import { tracesOf } from '#service/traces/read-trace.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { countMetric } from './count-metric.ts';
import { countErrored, countStoreFailures } from './counted-stores.ts';
import { awsOptions, variable, variables } from './environment.ts';
import { clock, ids, log } from './system.ts';

const clients = makeAwsClients(awsOptions());

export const environment = awsEnvironmentSchema.parse(variables());

const kept = countStoreFailures(awsPorts(clients, environment, clock), countMetric);

/** The stores of this deployment, as the environment of the function names them. */
export const stores = {
  ...kept,
  attempts: countErrored(kept.attempts, countMetric),
  activity_ms: environment[environmentNames.activitySeconds] * 1_000,
  clock,
  ids,
  log,
};

/** A function that performs no checks; it has no permission to call those that do. */
const noDrive: HostPorts['drive'] = async () => {
  throw new Error('this function performs no checks');
};

/** What the routes need. One execution environment serves one call at a time, and keeps these between calls. */
export function hostPorts(own: Partial<HostPorts> = {}): HostPorts {
  return {
    ...stores,
    drive: noDrive,
    execute_ms: 60_000,
    engine: { name: packageFile.name, version: packageFile.version },
    failingPart: async () => {
      try {
        // Not kept by any cache: an id that no key has.
        await stores.keys.find('00000000');
        return null;
      } catch {
        return 'store';
      }
    },
    stopping: new AbortController().signal,
    verifiedTokens: boundedCache(1_000),
    compiledVerifiers: boundedCache(100),
    callsInFlight: new Map(),
    ...own,
  };
}

/** Ports of the state machine's steps. */
export function machinePorts() {
  return {
    ...stores,
    compiledVerifiers: hostPorts().compiledVerifiers,
    engine: { name: packageFile.name, version: packageFile.version },
  };
}

/** Effects by direct calls of the functions that hold their libraries. */
export function effectPorts(tools: NonNullable<DrivePorts['tools']>): DrivePorts {
  const lambda = new LambdaClient({
    // The function decides how long it takes; the caller's signal ends the wait earlier.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 330_000 },
    maxAttempts: 2,
  });
  const carrier = bucketCarrier(clients.s3, variable(environmentNames.buckets.values));
  const call = (name: string) => callFunction(lambda, variable(name));
  return {
    clock,
    log,
    evidence: stores.evidence,
    artifacts: registryArtifacts(stores.registry, stores.evidence),
    extract: remoteExtract(call(functionEnvironment.extract), carrier),
    sandbox: remoteSandbox(call(functionEnvironment.sandbox)),
    models: remoteModels(call(functionEnvironment.models), carrier),
    traces: tracesOf(stores, { settling_ms: environment[environmentNames.traceSettlingSeconds] * 1_000 }),
    samples: stores,
    tools,
  };
}
