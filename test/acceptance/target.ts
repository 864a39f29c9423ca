import { createHash, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';

/** The host under test, as its environment names it (scripts/acceptance.ts sets these). */
const url = (process.env.TOUCHSTONE_URL ?? '').replace(/\/$/, '');
const apiKey = process.env.TOUCHSTONE_API_KEY ?? '';
/** A key of another tenant; without it nothing can be said about tenants. */
export const otherTenantKey = process.env.TOUCHSTONE_OTHER_TENANT_API_KEY;
/** False where the host cannot reach the suite's model server. */
export const hasModels = process.env.TOUCHSTONE_ACCEPTANCE_MODELS !== 'off';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire holds
  readonly json: any;
  readonly text: string;
}

export interface Asked {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

const tokens = new Map<string, Promise<string>>();

/** The access token of a key, exchanged once. */
export function tokenOf(key: string = apiKey): Promise<string> {
  const known = tokens.get(key);
  if (known !== undefined) return known;
  const exchanged = exchange(key).then(({ status, json }) => {
    if (status !== 200) throw new Error(`the key was refused: ${status}`);
    return json.access_token as string;
  });
  tokens.set(key, exchanged);
  return exchanged;
}

export function exchange(key: string): Promise<Answered> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: key,
    subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
    client_id: 'wyrd-cli',
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return call('POST', '/auth/token', { token: null, raw: form.toString(), headers });
}

export async function call(method: string, path: string, asked: Asked = {}): Promise<Answered> {
  const token = asked.token === undefined ? await tokenOf() : asked.token;
  const payload = asked.raw ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token === null ? {} : { 'x-wyrd-access-token': `Bearer ${token}` }),
      ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Names that no other run of the suite uses, since a deployed host keeps its Cards. */
export function unique(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}`;
}

export function declare(submissions: readonly JsonObject[], token?: string): Promise<Answered> {
  return call('POST', '/v1/cards', {
    body: { submissions },
    headers: { 'idempotency-key': `card-declaration-${v7()}` },
    ...(token === undefined ? {} : { token }),
  });
}

/** A Verifier bound to an Agent by a Service, declared under names of its own. */
export interface Desk {
  readonly verifier: string;
  readonly agent: string;
  readonly service: string;
  readonly cards: readonly JsonObject[];
  execute(inputs: JsonObject, asked?: Asked): Promise<Answered>;
  /** Answers the whole answer, 202 or not. */
  enqueue(inputs: JsonObject, key?: string): Promise<Answered>;
}

export async function declareDesk(spec: JsonObject, more: readonly JsonObject[] = []): Promise<Desk> {
  const [prompt, agent, verifier, service] = ['prompt', 'agent', 'verifier', 'service'].map(unique) as [
    string,
    string,
    string,
    string,
  ];
  const cards = [
    ...more,
    card('Prompt', prompt, { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    card('Agent', agent, { prompt: sibling('Prompt', prompt), execution_route: { kind: 'native' } }),
    card('Verifier', verifier, spec),
    card('Service', service, {
      components: [
        { alias: 'agent', ref: sibling('Agent', agent), verified_by: [{ verifier: sibling('Verifier', verifier) }] },
      ],
    }),
  ];
  const declared = await declare(cards);
  if (declared.status !== 201) throw new Error(`declaration refused: ${declared.status} ${declared.text}`);
  const uids = new Map<string, string>(
    declared.json.outcomes.map((outcome: { card_ref: { name: string; uid: string } }) => [
      outcome.card_ref.name,
      outcome.card_ref.uid,
    ]),
  );
  const uidOf = (name: string) => uids.get(name) ?? '';
  const target = { verifier_card_uid: uidOf(verifier), card_uid: uidOf(agent) };
  return {
    verifier: uidOf(verifier),
    agent: uidOf(agent),
    service: uidOf(service),
    cards,
    execute: (inputs, asked = {}) =>
      call('POST', '/v1/verification/execute', { body: { ...target, inputs }, ...asked }),
    enqueue: (inputs, key = `verification-submit-${v7()}`) =>
      call('POST', '/v1/verification/enqueue', {
        body: { ...target, inputs },
        headers: { 'idempotency-key': key },
      }),
  };
}

export function card(kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'wyrd/v1', kind, metadata: { name, version: '1.0.0' }, spec };
}

export function sibling(kind: string, name: string): JsonObject {
  return { sibling: { kind, name, version: '1.0.0' } };
}

export const json = (value: JsonObject[string]): JsonObject => ({ kind: 'json', value });

/** A file of these bytes as an input. */
export function file(bytes: Uint8Array, format: string): JsonObject {
  return { kind: 'file', sha256: sha256(bytes), size_bytes: bytes.byteLength, format };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Brings evidence to the host by whatever plan it gives; answers the status of each PUT. */
export async function upload(bytes: Uint8Array<ArrayBuffer>, declared = sha256(bytes)): Promise<readonly number[]> {
  const body = { files: [{ sha256: declared, size_bytes: bytes.byteLength }] };
  const planned = await call('POST', '/v1/verification/evidence', { body });
  if (planned.status !== 200) throw new Error(`no plan: ${planned.status} ${planned.text}`);
  const statuses: number[] = [];
  for (const { plan } of planned.json.uploads) statuses.push(await put(plan, bytes));
  return statuses;
}

/** Declares a Card that is nothing but one file, and brings the file by the plan it gets. */
export async function declareFile(declared: JsonObject, relative_path: string, bytes: Uint8Array<ArrayBuffer>) {
  const entry = {
    relative_path,
    sha256: createHash('sha256').update(bytes).digest('base64'),
    size_bytes: bytes.byteLength,
  };
  const headers = { 'idempotency-key': `card-declaration-${v7()}` };
  const answer = await call('POST', '/v1/cards', {
    body: { submissions: [{ ...declared, artifacts: [entry] }] },
    headers,
  });
  if (answer.status !== 201) throw new Error(`declaration refused: ${answer.status} ${answer.text}`);
  const [{ plan, upload_id }] = answer.json.upload_plans[0].entries;
  await put(plan, bytes);
  const protocol = plan.protocol === 'local_fs' ? 'single_put' : plan.protocol;
  await call('POST', `/v1/cards/upload/${upload_id}/complete`, { headers, body: { protocol, data: {} } });
  const { uid } = answer.json.outcomes[0].card_ref;
  return call('POST', `/v1/cards/${uid}/complete`, { headers, raw: 'null' });
}

async function put(plan: { protocol: string; data: JsonObject }, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const to = String(plan.data.put_url);
  if (plan.protocol === 'local_fs') return (await call('PUT', to, { raw: bytes })).status;
  const required = (plan.data.required_headers ?? []) as unknown as readonly { name: string; value: string }[];
  const headers = Object.fromEntries(required.map(({ name, value }) => [name, value]));
  const response = await fetch(to, { method: 'PUT', body: bytes, headers: { ...headers, 'idempotency-key': v7() } });
  await response.text();
  return response.status;
}

const settled = new Set(['completed', 'cancelled', 'timed_out', 'errored']);

/** Polls as the published client does: 100 ms, doubling to 2 s. */
export async function settledState(executionId: string, within = 90_000): Promise<Answered> {
  const until = Date.now() + within;
  for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
    const state = await call('GET', `/v1/verification/executions/${executionId}`);
    if (state.status === 200 && settled.has(state.json.status)) return state;
    if (Date.now() > until) throw new Error(`not settled in time: ${state.status} ${state.text.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export async function untilStatus(executionId: string, status: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const state = await call('GET', `/v1/verification/executions/${executionId}`);
    if (state.json?.status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`never ${status}`);
}
