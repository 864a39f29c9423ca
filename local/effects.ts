import { join, resolve } from 'node:path';
import { recordedRows } from '#service/agent/recorded-rows.ts';
import { registryArtifacts } from '#service/cards/registry-artifacts.ts';
import type { Driven } from '#service/drive/drive.ts';
import type { DriveInput, DrivePorts, Perform } from '#service/drive/performing.ts';
import type { Archives } from '#service/ports/archives.ts';
import type { Deployment } from '#service/ports/model-routes.ts';
import type { TableQueries } from '#service/ports/recorded-tables.ts';
import type { Extract, Log, Models, Sandbox } from '#service/ports.ts';
import { tracesOf } from '#service/traces/read-trace.ts';
import type { DeploymentConfig, HostConfig } from './config.ts';
import type { Store } from './open-store.ts';

/** The in-process driver with every effect it may need. Heavy libraries are loaded by the first call that needs them. */
export interface Effects {
  readonly drive: (input: DriveInput) => Promise<Driven>;
  /** Ends worker and sandbox processes, if any were started. */
  close(): Promise<void>;
}

export interface EffectOptions {
  /** Where the keys of model providers are looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly perform?: Perform;
}

export function makeEffects(config: HostConfig, store: Store, log: Log, options: EffectOptions): Effects {
  const environment = options.environment ?? process.env;
  warnOfMissingKeys(config, environment, log);
  const models = lazily(async () => {
    const { createModels } = await import('#adapters/models/models.ts');
    return createModels({
      deployments: toDeployments(config.deployments, environment),
      native: toDeployments(config.native, environment),
    });
  });
  const sandbox = lazily(async () =>
    (await import('#adapters/sandbox/sandbox.ts')).createSandbox({ cache: join(resolve(config.data), 'sandbox') }),
  );
  const extract = lazily(async () => (await import('#adapters/extract/extract.ts')).createExtract());
  const ports: DrivePorts = {
    clock: store.clock,
    log,
    evidence: store.evidence,
    artifacts: registryArtifacts(store.registry, store.evidence),
    models: lateModels(models.get),
    sandbox: lateSandbox(sandbox.get),
    extract: lateExtract(extract.get),
    traces: tracesOf(store, { settling_ms: config.trace_settling_seconds * 1_000 }),
    samples: store,
    tools: {
      registry: store.registry,
      recordedRows: recordedRows({ spans: store.spans, observations: store.observations }),
      tableQueries: lateQueries(),
      archives: lateArchives(),
    },
  };
  return {
    async drive(input) {
      const { drive } = await import('#service/drive/drive.ts');
      return drive(ports, input, options.perform);
    },
    async close() {
      await (await sandbox.made())?.close();
      await (await extract.made())?.close();
    },
  };
}

function lateQueries(): TableQueries {
  const made = lazily(async () => (await import('#adapters/tables/table-queries.ts')).processQueries());
  return { query: async (...given) => (await made.get()).query(...given) };
}

function lateArchives(): Archives {
  const made = lazily(async () => (await import('#adapters/extract/archives.ts')).workerArchives());
  return { read: async (...given) => (await made.get()).read(...given) };
}

interface Lazy<Value> {
  readonly get: () => Promise<Value>;
  /** What was made, without making it. */
  readonly made: () => Promise<Value> | undefined;
}

function lazily<Value>(make: () => Promise<Value>): Lazy<Value> {
  let value: Promise<Value> | undefined;
  return {
    get() {
      value ??= make();
      return value;
    },
    made: () => value,
  };
}

function lateModels(get: () => Promise<Models>): Models {
  return { generate: async (request, signal) => (await get()).generate(request, signal) };
}

function lateSandbox(get: () => Promise<Sandbox>): Sandbox {
  return { run: async (request, signal) => (await get()).run(request, signal), close: async () => {} };
}

function lateExtract(get: () => Promise<Extract>): Extract {
  return { extract: async (request, signal) => (await get()).extract(request, signal) };
}

function toDeployments(
  configured: Readonly<Record<string, DeploymentConfig>>,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, Deployment> {
  return new Map(Object.entries(configured).map(([name, config]) => [name, toDeployment(config, environment)]));
}

function toDeployment(config: DeploymentConfig, environment: Readonly<Record<string, string | undefined>>): Deployment {
  const key = config.api_key_env === undefined ? undefined : environment[config.api_key_env];
  const shared = {
    ...(config.model === undefined ? {} : { model: config.model }),
    ...(key === undefined ? {} : { api_key: key }),
  };
  if (config.provider === 'bedrock') {
    const base = config.base_url === undefined ? {} : { base_url: config.base_url };
    return { provider: 'bedrock', region: config.region, ...base, ...shared };
  }
  return { provider: config.provider, base_url: config.base_url, ...shared };
}

/** A call without its key is refused by the provider much later, where nobody thinks of a variable. */
function warnOfMissingKeys(
  config: HostConfig,
  environment: Readonly<Record<string, string | undefined>>,
  log: Log,
): void {
  for (const [deployment, { api_key_env }] of Object.entries({ ...config.deployments, ...config.native })) {
    if (api_key_env === undefined || environment[api_key_env]) continue;
    log.warn('the variable of a model key is not set', { deployment, variable: api_key_env });
  }
}
