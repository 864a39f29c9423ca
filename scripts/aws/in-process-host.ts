import { systemClock, systemIds } from '#adapters/embedded/system.ts';
import type { AwsEnvironment } from '#contract/aws-names.ts';
import { buildApp } from '#http/app.ts';
import { createKey } from '#service/auth/keys.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { drive } from '#service/drive/drive.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import type { HostPorts } from '#service/ports/host.ts';
import type { Log } from '#service/ports.ts';
import { type SigningClients, signingPorts } from './signing-ports.ts';

export interface InProcessHost {
  readonly ports: HostPorts;
  readonly effects: DrivePorts;
  /** A call as a client makes it; answers its JSON. Throws when it is refused. */
  call(method: string, path: string, token: string, body?: unknown): Promise<Record<string, unknown>>;
  /** An access token of a new administrator key. */
  token(): Promise<string>;
}

const log: Log = { info() {}, warn() {}, error() {} };

async function unreachable(): Promise<never> {
  throw new Error('nothing here calls a model, a sandbox or a document reader');
}

/** The routes over the AWS adapters in this process, for Verifiers of assertions: what the stores cost, and nothing else. */
export function inProcessHost(clients: SigningClients, environment: AwsEnvironment): InProcessHost {
  const stores = { ...signingPorts(clients, environment, systemClock), clock: systemClock, ids: systemIds, log };
  const effects: DrivePorts = {
    clock: systemClock,
    log,
    evidence: stores.evidence,
    artifacts: { file: unreachable },
    models: { generate: unreachable },
    sandbox: { run: unreachable, close: async () => {} },
    extract: { extract: unreachable },
    traces: { read: unreachable },
  };
  const ports: HostPorts = {
    ...stores,
    drive: (input) => drive(effects, input),
    execute_ms: 60_000,
    engine: { name: 'touchstone', version: '0.0.0' },
    failingPart: async () => null,
    stopping: new AbortController().signal,
    verifiedTokens: boundedCache(1_000),
    compiledVerifiers: boundedCache(100),
    callsInFlight: new Map(),
  };
  const app = buildApp(ports);
  return {
    ports,
    effects,
    async call(method, path, token, body) {
      const answer = await app.request(path, {
        method,
        headers: {
          'content-type': 'application/json',
          'x-wyrd-access-token': `Bearer ${token}`,
          'idempotency-key': `measured-${systemIds.next()}`,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
    async token() {
      const { text } = await createKey(ports, { tenant: 'acme', name: 'measured', role: 'admin' });
      const answer = await app.request('/auth/token', {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: text,
          subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
          client_id: 'wyrd-cli',
        }),
      });
      return ((await answer.json()) as { readonly access_token: string }).access_token;
    },
  };
}
