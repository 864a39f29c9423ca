import { v7 } from 'uuid';
import { systemClock, systemIds } from '#adapters/embedded/system.ts';
import { boundedArchives } from '#adapters/extract/archives.ts';
import { createExtract } from '#adapters/extract/extract.ts';
import { createModels } from '#adapters/models/models.ts';
import { processQueries } from '#adapters/tables/table-queries.ts';
import { buildApp } from '#http/app.ts';
import { recordedRows } from '#service/agent/recorded-rows.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { registryArtifacts } from '#service/cards/registry-artifacts.ts';
import { drive } from '#service/drive/drive.ts';
import type { HostPorts } from '#service/ports/host.ts';
import type { Evidence } from '#service/ports.ts';
import { tracesOf } from '#service/traces/read-trace.ts';
import { adminKey, callerOfApp } from './app-caller.ts';
import { type AwsStore, freshAwsStore } from './aws-store.ts';
import type { OpenHost } from './http-case.ts';
import { sharedSandbox } from './shared-sandbox.ts';

interface Settings {
  readonly deployments?: Readonly<Record<string, { readonly base_url: string }>>;
  readonly limits?: { readonly execute_seconds?: number };
}

const log = { info() {}, warn() {}, error() {} };
let store: Promise<AwsStore> | undefined;
let tenants = 0;

/**
 * The routes over the AWS adapters in one process. All hosts of a test share tables and buckets; each has a tenant of
 * its own, so nothing of one is seen by another.
 */
export const openAwsHost: OpenHost = async (given, { perform, spans = (same) => same }) => {
  store ??= freshAwsStore();
  const { ports } = await store;
  const tampered = new Map<string, { readonly size_bytes: number; readonly bytes: Uint8Array }>();
  const stores = { ...ports, spans: spans(ports.spans), evidence: lyingEvidence(ports.evidence, tampered) };
  const { deployments = {}, limits = {} } = given as Settings;
  const routes = Object.entries(deployments).map(
    ([name, { base_url }]) => [name, { provider: 'openai-compatible', base_url }] as const,
  );
  const extract = createExtract();
  const effects = {
    clock: systemClock,
    log,
    evidence: stores.evidence,
    artifacts: registryArtifacts(stores.registry, stores.evidence),
    models: createModels({ deployments: new Map(routes), native: new Map() }),
    sandbox: sharedSandbox(),
    extract,
    traces: tracesOf({ spans: stores.spans, clock: systemClock }, { settling_ms: 0 }),
    tools: {
      registry: stores.registry,
      archives: boundedArchives(),
      recordedRows: recordedRows({ spans: stores.spans, observations: stores.observations }),
      tableQueries: processQueries(),
    },
  };
  const hostPorts: HostPorts = {
    ...stores,
    clock: systemClock,
    ids: systemIds,
    log,
    drive: (input) => drive(effects, input, perform),
    execute_ms: (limits.execute_seconds ?? 60) * 1_000,
    engine: { name: 'touchstone', version: '0.0.0' },
    failingPart: async () => null,
    stopping: new AbortController().signal,
    verifiedTokens: boundedCache(100),
    compiledVerifiers: boundedCache(100),
    callsInFlight: new Map(),
  };
  const app = buildApp(hostPorts);
  tenants += 1;
  const tenant = `tenant-${tenants}`;
  const call = await callerOfApp(app, await adminKey(hostPorts, tenant));
  return {
    call,
    declare: (submissions, options = {}) =>
      call('POST', '/v1/cards', {
        ...options,
        body: { submissions },
        headers: { 'idempotency-key': `card-declaration-${v7()}`, ...options.headers },
      }),
    send: async (plan, bytes) => {
      if (plan.protocol !== 'single_put') throw new Error('bytes go straight to the object store');
      const headers = Object.fromEntries(plan.data.required_headers.map(({ name, value }) => [name, value]));
      const sent = await fetch(plan.data.put_url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
      return sent.status;
    },
    // S3 keeps no bytes under another checksum, so a store that lies has to be played.
    tamper: async ({ sha256, size_bytes }, bytes) => void tampered.set(sha256, { size_bytes, bytes }),
    [Symbol.asyncDispose]: () => extract.close(),
  };
};

function lyingEvidence(
  evidence: Evidence,
  tampered: ReadonlyMap<string, { readonly size_bytes: number; readonly bytes: Uint8Array }>,
): Evidence {
  return {
    ...evidence,
    sizes: async (tenant, digests) => {
      const sizes = new Map(await evidence.sizes(tenant, digests));
      for (const digest of digests) {
        const lie = tampered.get(digest);
        if (lie !== undefined) sizes.set(digest, lie.size_bytes);
      }
      return sizes;
    },
    read: async (tenant, sha256, signal) => tampered.get(sha256)?.bytes ?? evidence.read(tenant, sha256, signal),
  };
}
