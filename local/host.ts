import type { Hono } from 'hono';
import { lineLog } from '#adapters/embedded/system.ts';
import type { IngestServer } from '#adapters/grpc/ingest-server.ts';
import { buildApp } from '#http/app.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import type { Perform } from '#service/drive/performing.ts';
import type { HostPorts } from '#service/ports/host.ts';
import type { Clock, Log } from '#service/ports.ts';
import packageFile from '../package.json' with { type: 'json' };
import { makeBackground } from './background.ts';
import { ConfigError, type HostConfig } from './config.ts';
import { type Effects, makeEffects } from './effects.ts';
import { keepHouse } from './housekeeping.ts';
import { keepRecords } from './keep-records.ts';
import { listen } from './listen.ts';
import { openStore, type Store } from './open-store.ts';

export interface RunningHost {
  /** Origin, without a final slash. */
  readonly url: string;
  /** Where samples are taken over gRPC; absent: nowhere. */
  readonly grpc_port?: number;
  /** Stops taking calls, waits for the running ones, closes the store. */
  close(): Promise<void>;
}

export interface HostOptions {
  /** Where the keys of model providers are looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
  /** Performs work in place of the driver's own functions: tests script it. */
  readonly perform?: Perform;
  /** In place of the system's: tests move it. */
  readonly clock?: Clock;
  /** Where gRPC is served when the settings do not say; a port that is taken is done without. */
  readonly usual_grpc_port?: number;
  /** Opens the store: tests put faults around its ports. */
  readonly openStore?: (data: string, secretKey?: string) => Promise<Store>;
}

/** Starts the embedded host. Throws a ConfigError, or the store's error when another process has the folder open. */
export async function startHost(config: HostConfig, options: HostOptions = {}): Promise<RunningHost> {
  const opened = await (options.openStore ?? openStore)(
    config.data,
    (options.environment ?? process.env).TOUCHSTONE_SECRET_KEY,
  );
  const store = { ...opened, clock: options.clock ?? opened.clock };
  const log = options.log ?? lineLog((line) => process.stderr.write(line), store.clock);
  const stop = new AbortController();
  try {
    await refuseOpenDoor(config, store);
    const effects = makeEffects(config, store, log, options);
    const shared = sharedPorts(config, store, effects, log, stop.signal);
    const background = makeBackground(shared, config, stop.signal);
    const ports = { ...shared, workflow: background.workflow, deliveries: background.deliveries };
    const app = buildApp(ports);
    const server = await listen(app, config);
    const ingest = await startIngest(app, config, options.usual_grpc_port, log).catch(async (error: unknown) => {
      await server.close(0, () => undefined);
      throw error;
    });
    const working = Promise.all([
      keepHouse({ ...ports, purge: store.purge }, stop.signal),
      keepRecords(ports, stop.signal),
      background.sweep(),
    ]);
    return {
      url: server.url,
      ...(ingest === null ? {} : { grpc_port: ingest.port }),
      async close() {
        const grace = config.limits.stop_seconds * 1_000;
        const hurry = () => stop.abort(new Error('the host stops'));
        // Attempts that do not end in time are given back, not counted, for the next start of a host.
        const timer = setTimeout(hurry, grace);
        await Promise.all([server.close(grace, hurry), ingest?.close(), background.close()]);
        clearTimeout(timer);
        hurry();
        await working;
        await effects.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Loaded where it is asked for: gRPC takes memory and time of every start. */
async function startIngest(
  app: Hono,
  { host, grpc_port }: HostConfig,
  usual: number | undefined,
  log: Log,
): Promise<IngestServer | null> {
  const port = grpc_port ?? usual;
  if (port === undefined || port === 'off') return null;
  const { startIngestServer } = await import('#adapters/grpc/ingest-server.ts');
  try {
    // The call never leaves the process: whoever reached the port is as near as they are.
    return await startIngestServer({ host, port }, async (body, headers) =>
      app.request('/v1/observations', { method: 'POST', body, headers: { ...headers, host: '127.0.0.1' } }),
    );
  } catch (error) {
    if (grpc_port !== undefined) throw error;
    log.warn('samples over gRPC are not taken: the port is in use', { port });
    return null;
  }
}

function sharedPorts(
  config: HostConfig,
  store: Store,
  effects: Effects,
  log: Log,
  stopping: AbortSignal,
): Omit<HostPorts, 'workflow' | 'deliveries'> {
  return {
    ...store,
    log,
    drive: effects.drive,
    retention_rules: { days: config.retention_days, legal_hold: config.legal_hold },
    execute_ms: config.limits.execute_seconds * 1_000,
    activity_ms: config.activity_seconds * 1_000,
    engine: { name: packageFile.name, version: packageFile.version },
    failingPart: async () => {
      try {
        store.probe();
        return null;
      } catch {
        return 'store';
      }
    },
    stopping,
    verifiedTokens: boundedCache(1_000),
    compiledVerifiers: boundedCache(config.limits.cached_verifiers),
    callsInFlight: new Map(),
  };
}

/** Without keys every caller is administrator, so nobody else's machine may reach us (docs/spec/wire.md §2.6). */
async function refuseOpenDoor(config: HostConfig, store: Store): Promise<void> {
  if (await store.keys.any()) return;
  if (config.keys.required)
    throw new ConfigError('keys.required: no API key exists; make one with `touchstone keys create`');
  const loopback = config.host === 'localhost' || config.host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(config.host);
  if (!loopback) throw new ConfigError(`host: without API keys only loopback is allowed, not ${config.host}`);
}
