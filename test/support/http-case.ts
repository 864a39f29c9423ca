import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadCards } from '#cli/load/load-cards.ts';
import type { JsonObject } from '#contract/json.ts';
import { openStore } from '#local/open-store.ts';
import type { Perform } from '#service/drive/performing.ts';
import type { Spans } from '#service/ports/spans.ts';
import type { UploadPlan } from '#service/ports/uploads.ts';
import { type ConformanceCase, type GivenCard, verificationCases } from './conformance-case.ts';
import { type Answered, card, makeHost, sibling, type TestHost } from './embedded-host.ts';
import { assertVerifier, deadlineOf, withOwnDeployment } from './engine-case.ts';
import { type GivenInput, type GivenTrace, givenInputs } from './given-evidence.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { scriptedPerform } from './scripted-perform.ts';
import { otlpOf, spansInState } from './send-trace.ts';

export interface HttpRun {
  /** The refused declaration, or the answer of each call. */
  readonly answers: readonly Answered[];
  readonly declared: readonly Answered[];
  /** Executions of the host, where the case counts them. */
  readonly executions?: number;
  readonly calls: readonly string[];
  readonly models: ModelServer;
}

/** A host that a case can be run on, whatever its stores are. */
export interface CaseHost extends AsyncDisposable, Pick<TestHost, 'call' | 'declare'> {
  /** Brings bytes by an upload plan; answers the status. */
  send(plan: UploadPlan, bytes: Uint8Array): Promise<number>;
  /** Puts other bytes under a digest, as only a broken or tampered store can. */
  tamper(file: { readonly sha256: string; readonly size_bytes: number }, bytes: Uint8Array): Promise<void>;
}

export interface OpenOptions {
  readonly perform?: Perform;
  /** Puts a fault around the store of spans. */
  readonly spans?: (spans: Spans) => Spans;
}

export type OpenHost = (settings: JsonObject, options: OpenOptions) => Promise<CaseHost>;

/** The embedded host, on a free port and a folder of its own. */
export const openEmbeddedHost: OpenHost = async (settings, options) => {
  const { spans = (same: Spans) => same, ...rest } = options;
  const host = await makeHost(
    { trace_settling_seconds: 0, ...settings },
    {
      ...rest,
      openStore: async (data) => {
        const store = await openStore(data);
        return { ...store, spans: spans(store.spans) };
      },
    },
  );
  return {
    ...host,
    send: async (plan, bytes) => {
      if (plan.protocol !== 'local_fs') throw new Error('this host stores bytes itself');
      return (await host.call('PUT', plan.data.put_url, { raw: bytes })).status;
    },
    tamper: async ({ sha256 }, bytes) => {
      const folder = join(host.data, 'evidence', 'local', 'sha256', sha256.slice(0, 2));
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, sha256), bytes);
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
};

/** Runs a case through a real host over HTTP: declared, evidence uploaded, executed. */
export async function runThroughHttp(one: ConformanceCase, open: OpenHost, shared: CaseHost): Promise<HttpRun> {
  if (isPlain(one)) return runOnHost(one, shared, [], noModels);
  const models = await startModelServer(one.given.replies ?? {});
  const given = givenInputs(one.given.evidence ?? {});
  const calls: string[] = [];
  const deployments = Object.fromEntries(
    agentNames(one).map((agent) => [agent, { provider: 'openai-compatible', base_url: models.url(agent) }]),
  );
  const seconds = Math.max(1, Math.ceil(deadlineOf(one, given) / 1000));
  await using host = await open(
    { deployments, limits: { execute_seconds: seconds } },
    {
      ...(one.given.script !== undefined || one.expect.calls !== undefined
        ? { perform: scriptedPerform(one.given.script ?? {}, calls) }
        : {}),
      spans: (spans) => spansInState(spans, given.find(({ trace }) => trace !== undefined)?.trace),
    },
  );
  try {
    return await runOnHost(one, host, calls, models);
  } finally {
    await models.close();
  }
}

/** A case that scripts nothing and names no Card but its own Verifier shares a host, under a Card name of its own. */
function isPlain({ given, expect }: ConformanceCase): boolean {
  const isBare = given.assert !== undefined || (given.verifier !== undefined && given.evidence !== undefined);
  const isScripted = given.script !== undefined || given.replies !== undefined || expect.calls !== undefined;
  // Traces of several cases have one id.
  const isTampered = /stored_bytes|\$trace"/.test(JSON.stringify(given.evidence ?? null));
  return isBare && !isScripted && !isTampered && expect.execution === undefined;
}

async function runOnHost(
  one: ConformanceCase,
  host: CaseHost,
  calls: readonly string[],
  models: ModelServer,
): Promise<HttpRun> {
  const declared = await declare(host, one);
  const refused = declared.find(({ status }) => status >= 400);
  if (refused !== undefined) return { answers: [refused], declared, calls, models };
  const answers: Answered[] = [];
  for (const call of callsOf(one)) answers.push(await execute(host, declared, call));
  const listed =
    one.expect.executions === undefined ? undefined : await host.call('GET', '/v1/verification/executions');
  return { answers, declared, calls, models, ...(listed && { executions: listed.json.items.length }) };
}

const noModels: ModelServer = { url: () => '', requests: () => [], close: () => Promise.resolve() };

interface Call {
  readonly subject: string;
  readonly verifier: string;
  readonly given: readonly GivenInput[];
  /** Submits under this key instead of judging at once. */
  readonly key?: string;
  /** Waits for what was submitted. */
  readonly wait?: boolean;
}

function callsOf(one: ConformanceCase): readonly Call[] {
  if (one.given.calls === undefined) {
    if (one.given.evidence === undefined) return [];
    const given = givenInputs(one.given.evidence);
    const call = { subject: `conformance-${nameOf(one)}`, verifier: verifierName(one), given };
    return [one.given.mode === 'submit' ? { ...call, key: `key-of-${one.id}`, wait: true } : call];
  }
  return one.given.calls.flatMap((call) => {
    if (call.submit !== undefined) return [submitOf(one, call.submit as JsonObject)];
    const { subject, verifier, evidence } = call.verify as { subject: string; verifier: string; evidence: JsonObject };
    return [{ subject: subject === '$owner' ? 'repair-desk' : 'desk-agent', verifier, given: givenInputs(evidence) }];
  });
}

function submitOf(one: ConformanceCase, { evidence, idempotency_key }: JsonObject): Call {
  return {
    subject: `conformance-${nameOf(one)}`,
    verifier: verifierName(one),
    given: givenInputs(evidence as JsonObject),
    key: String(idempotency_key),
  };
}

/** Card names take 64 characters; case ids are unique before that. */
function nameOf({ id }: ConformanceCase): string {
  return id.slice(-40).replace(/^[^a-z]+/, 'c');
}

function verifierName(one: ConformanceCase): string {
  return one.given.cards === undefined ? `case-${nameOf(one)}` : 'under-test';
}

function agentNames({ given }: ConformanceCase): readonly string[] {
  return [...cardsOf(given.cards ?? []), ...Object.values(filesOf(given.files) ?? {})].flatMap(({ kind, metadata }) =>
    kind === 'Agent' ? [metadata.name] : [],
  );
}

const cardsOf = (cards: readonly GivenCard[]) => cards;

function filesOf(files: ConformanceCase['given']['files']): Readonly<Record<string, GivenCard>> | undefined {
  if (files === undefined || !('$same_as' in files)) return files as Readonly<Record<string, GivenCard>> | undefined;
  return filesOf(verificationCases().find(({ id }) => id === files.$same_as)?.given.files);
}

async function declare(host: CaseHost, one: ConformanceCase): Promise<readonly Answered[]> {
  const files = filesOf(one.given.files);
  if (files !== undefined) return [await host.declare(await loadFiles(files))];
  const cards = one.given.cards ?? withNamedCards(bareVerifier(one));
  const declared: Answered[] = [];
  for (const other of cards.slice(0, -1))
    declared.push(await host.declare([{ ...other, spec: withOwnDeployment(other) }]));
  const last = cards.at(-1) as GivenCard;
  // What is only declared needs no subject; a binding would add rules of its own.
  const submits = one.given.calls?.some(({ submit }) => submit !== undefined) ?? false;
  if (one.given.evidence === undefined && !submits) return [...declared, await host.declare([last])];
  const service = card('Service', `conformance-${nameOf(one)}`, {
    verified_by: [{ verifier: sibling('Verifier', last.metadata.name) }],
  });
  declared.push(await host.declare([last, service]));
  return declared;
}

/** The Cards that a bare Verifier names, as an engine test takes them for granted. */
function withNamedCards(verifier: GivenCard): readonly GivenCard[] {
  const named = new Map(namedIn(verifier.spec).map((ref) => [`${ref.kind}/${ref.name}`, ref]));
  const cards = [...named.values()].map(({ kind, name, version }) => ({
    apiVersion: 'wyrd/v1',
    kind,
    metadata: { name, version },
    spec: plainSpecs[kind] ?? {},
  }));
  return [...cards, verifier];
}

interface NamedCard {
  readonly kind: string;
  readonly name: string;
  readonly version: string;
}

function namedIn(value: unknown): readonly NamedCard[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, name, version } = value as Partial<NamedCard>;
  if (kind !== undefined && name !== undefined && version !== undefined) return [{ kind, name, version }];
  return Object.values(value).flatMap(namedIn);
}

const prompt = {
  provider: 'openai',
  model: 'judge-1',
  messages: [{ role: 'user', content: 'Judge {{doc}}' }],
  response_format: 'verdict',
};

const plainSpecs: Readonly<Record<string, JsonObject>> = {
  Agent: { prompt, execution_route: { kind: 'wyrd_gateway', deployment: 'judge' } },
  Prompt: prompt,
  Data: { interface: { kind: 'Parquet' } },
};

function bareVerifier({ given, ...rest }: ConformanceCase): GivenCard {
  const spec = given.verifier ?? (given.assert === undefined ? {} : assertVerifier(given.assert));
  return {
    apiVersion: 'wyrd/v1',
    kind: 'Verifier',
    metadata: { name: verifierName({ given, ...rest }), version: '1.0.0' },
    spec,
  };
}

/** The files as a user has them, read by the loader that the command line uses. */
async function loadFiles(files: Readonly<Record<string, GivenCard>>): Promise<readonly JsonObject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-cards-'));
  try {
    for (const [path, given] of Object.entries(files)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify({ ...given, spec: withOwnDeployment(given) }));
    }
    const { cards, issues } = await loadCards(folder, folder);
    if (issues.length > 0) throw new Error(JSON.stringify(issues));
    return cards.map(({ card: loaded }) => loaded);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function execute(
  host: CaseHost,
  declared: readonly Answered[],
  { subject, verifier, given, key, wait }: Call,
): Promise<Answered> {
  const uids = new Map(
    declared.flatMap(({ json }) =>
      (json.outcomes as { card_ref: { name: string; uid: string } }[]).map(
        ({ card_ref }) => [card_ref.name, card_ref.uid] as const,
      ),
    ),
  );
  for (const { file } of given) if (file !== undefined && file.stored !== null) await upload(host, file);
  for (const { trace } of given) if (trace !== undefined) await sendTrace(host, trace);
  const inputs = given.map(
    ({ slot, input, raw }) =>
      `${JSON.stringify(slot)}:${raw === undefined ? JSON.stringify(input) : `{"kind":"json","value":${raw}}`}`,
  );
  const target = `"verifier_card_uid":"${uids.get(verifier)}","card_uid":"${uids.get(subject)}"`;
  const answered = await host.call('POST', `/v1/verification/${key === undefined ? 'execute' : 'enqueue'}`, {
    raw: `{${target},"inputs":{${inputs.join(',')}}}`,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
  });
  return wait ? ended(host, answered) : answered;
}

async function sendTrace(host: CaseHost, trace: GivenTrace): Promise<void> {
  const body = otlpOf(trace);
  if (body === null) return;
  const { status, text } = await host.call('POST', '/v1/traces', { body });
  if (status !== 200) throw new Error(text);
}

/** The state once an attempt has ended; a result stands where a direct call has it. */
async function ended(host: CaseHost, { json }: Answered): Promise<Answered> {
  for (;;) {
    const read = await host.call('GET', `/v1/verification/executions/${json.execution_id}`);
    if (read.json.status === 'completed') return { ...read, json: read.json.result };
    if (read.json.status !== 'pending' && read.json.status !== 'running') return read;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Uploads the declared bytes; where the case says so, the store then holds others. */
async function upload(host: CaseHost, file: NonNullable<GivenInput['file']>): Promise<void> {
  const { sha256, size_bytes, stored } = file;
  const planned = await host.call('POST', '/v1/verification/evidence', { body: { files: [{ sha256, size_bytes }] } });
  const [first] = planned.json.uploads as { plan: UploadPlan }[];
  // A digest that the tenant holds needs no upload.
  if (first === undefined || stored === null) return;
  const status = await host.send(first.plan, stored);
  if (status < 200 || status >= 400) await host.tamper(file, stored);
}
