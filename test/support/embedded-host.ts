import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';
import { checkConfig } from '#local/config.ts';
import { type HostOptions, startHost } from '#local/host.ts';
import { openKeys } from '#local/open-store.ts';
import { createKey, type NewKey } from '#service/auth/keys.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire holds
  readonly json: any;
  readonly text: string;
}

export interface TestHost extends AsyncDisposable {
  readonly url: string;
  readonly grpc_port?: number;
  readonly data: string;
  /** A call as the administrator of a host without keys, or with a token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answered>;
  declare(submissions: readonly unknown[], options?: CallOptions): Promise<Answered>;
  /** Makes a key and answers its text. */
  key(input?: Partial<NewKey>): Promise<string>;
  /** Exchanges a key for an access token. */
  token(key: string, form?: Readonly<Record<string, string>>): Promise<string>;
}

export interface CallOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls of one host. */
export function callerOf(url: string): TestHost['call'] {
  return async (method, path, options = {}) => {
    const { token = 'anything', body, raw, headers } = options;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { 'x-wyrd-access-token': `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(raw === undefined && body === undefined
        ? {}
        : { body: (raw as BodyInit | undefined) ?? JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
}

/** A real host on a free port and a folder of its own. */
export async function makeHost(settings: JsonObject = {}, options: HostOptions = {}): Promise<TestHost> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-test-'));
  const silent = { info() {}, warn() {}, error() {} };
  const host = await startHost(checkConfig({ port: 0, data, ...settings }), {
    log: silent,
    environment: {},
    ...options,
  });
  const call = callerOf(host.url);
  return {
    url: host.url,
    ...(host.grpc_port === undefined ? {} : { grpc_port: host.grpc_port }),
    data,
    call,
    declare: (submissions, options = {}) =>
      call('POST', '/v1/cards', {
        ...options,
        body: { submissions },
        headers: { 'idempotency-key': `card-declaration-${v7()}`, ...options.headers },
      }),
    async key(input = {}) {
      const store = await openKeys(data);
      try {
        return (await createKey(store, { tenant: 'local', name: 'test', role: 'admin', ...input })).text;
      } finally {
        await store.close();
      }
    },
    async token(key, form = {}) {
      const body = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: key,
        subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
        client_id: 'wyrd-cli',
        ...form,
      });
      const response = await fetch(`${host.url}/auth/token`, { method: 'POST', body });
      const answer = (await response.json()) as { readonly access_token?: string };
      if (answer.access_token === undefined) throw new Error(`exchange refused: ${JSON.stringify(answer)}`);
      return answer.access_token;
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export function uniqueKey(): string {
  return `key-${randomUUID()}`;
}

type Card = JsonObject;

/** A card file as a client sends it. `space` makes it spaced. */
export function card(kind: string, name: string, spec: JsonObject, metadata: JsonObject = { version: '1.0.0' }): Card {
  return { apiVersion: 'wyrd/v1', kind, metadata: { name, ...metadata }, spec };
}

export function sibling(kind: string, name: string, more: JsonObject = { version: '1.0.0' }): JsonObject {
  return { sibling: { kind, name, ...more } };
}

export const toneSpec: JsonObject = {
  inputs: { answer: { type: 'json' } },
  requirements: [
    {
      id: 'no-promise',
      statement: 'The answer holds no promise',
      check: { kind: 'assert', path: 'inputs.answer', operator: 'not_contains', expected: 'sure' },
    },
  ],
};

/** Prompt, Agent, Verifier and the Service that binds them: the smallest desk. */
export function desk(
  metadata: JsonObject = { version: '1.0.0' },
  verifierSpec: JsonObject = toneSpec,
): readonly Card[] {
  return [
    card(
      'Prompt',
      'desk-prompt',
      { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'hello' }] },
      metadata,
    ),
    card(
      'Agent',
      'desk-agent',
      { prompt: sibling('Prompt', 'desk-prompt', metadata), execution_route: { kind: 'native' } },
      metadata,
    ),
    card('Verifier', 'tone', verifierSpec, metadata),
    card(
      'Service',
      'desk',
      {
        components: [
          {
            alias: 'agent',
            ref: sibling('Agent', 'desk-agent', metadata),
            verified_by: [{ verifier: sibling('Verifier', 'tone', metadata) }],
          },
        ],
      },
      metadata,
    ),
  ];
}

/** Uids of an answered declaration, by Card name. */
export function uidsOf(declared: Answered): Record<string, string> {
  const outcomes = declared.json.outcomes as { card_ref: { name: string; uid: string } }[];
  return Object.fromEntries(outcomes.map(({ card_ref }) => [card_ref.name, card_ref.uid]));
}
