import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { Json, JsonObject } from '#contract/json.ts';
import { settledExecution } from '#test/ports/executions.ts';
import { type Answered, callerOf, card, desk, sibling, type TestHost, uidsOf, uniqueKey } from './embedded-host.ts';
import { type Call, type ExecutionCase, msOf } from './execution-case.ts';
import { judgedSpec, type Target } from './judged-desk.ts';
import { type ScriptedHost, type ScriptedOptions, startScriptedHost } from './scripted-host.ts';
import { startFaultHost } from './start-fault-host.ts';

export interface ExecutionRun {
  readonly answers: readonly Answered[];
  /** The states that were seen, in order; only where the case asks. */
  readonly states: readonly string[];
  /** The last execution of the case, at the end; undefined when nothing was accepted. */
  readonly state: Answered['json'] | undefined;
  /** From its admission to its end, in milliseconds. */
  readonly lasted: number;
  readonly executions: number;
  readonly results_stored: number;
  /** Of the replay that the case asks for. */
  readonly replay?: JsonObject;
}

/** The hosts of one case: they share what is stored. */
export interface ExecutionHosts extends AsyncDisposable {
  start(options: Omit<ScriptedOptions, 'data'>): Promise<ScriptedHost>;
  /** What the submission was answered by a host that died right after its answer, or in the middle of settling it. */
  crashed(
    when: 'after-202' | 'in-settle',
    submit: (host: Pick<ScriptedHost, 'call' | 'send'>) => Promise<Answered>,
  ): Promise<Answered>;
}

export type OpenExecutionHosts = () => Promise<ExecutionHosts>;

/** Runs a case through the API of a host. */
export async function runExecutionCase(open: OpenExecutionHosts, one: ExecutionCase): Promise<ExecutionRun> {
  const { engine, workers, unsettled, crash, restart = '+0s', submit = {} } = one.given;
  const scripted = { ...(engine && { engine }), gated: one.expect.states !== undefined };
  await using hosts = await open();
  if (crash !== undefined) {
    if (crash !== 'after-202' && crash !== 'in-settle') throw new Error(`no such crash: ${crash}`);
    const answer = await hosts.crashed(crash, async (host) =>
      submitInputs(host.call, await declareDesk(host.call, one), await inputsOf(host, submit)),
    );
    await using host = await hosts.start({ ...scripted, later: msOf(restart) });
    return await finish(host, one, [answer], []);
  }
  const idle = unsettled === undefined ? workers : 0;
  await using host = await hosts.start({ ...scripted, ...(idle !== undefined && { workers: idle }) });
  return await play(host, one, await declareDesk(host.call, one));
}

/** The embedded host in this process; in one of its own where it is killed. */
export const embeddedHosts: OpenExecutionHosts = async () => {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-executions-'));
  return {
    start: (options) => startScriptedHost({ ...options, data }),
    async crashed(when, submit) {
      const inSettle = when === 'in-settle';
      await using child = await startFaultHost(data, inSettle ? 'settle' : 'never', inSettle ? 16 : 0);
      const call = callerOf(child.url);
      const answer = await submit({ call, send: async () => {} });
      if (inSettle) await child.ended;
      return answer;
    },
    [Symbol.asyncDispose]: () => rm(data, { recursive: true, force: true }),
  };
};

async function declareDesk(call: TestHost['call'], { given }: ExecutionCase): Promise<Target> {
  const [prompt, agent, verifier] = desk({ version: '1.0.0' }, given.verifier === 'window' ? windowSpec : judgedSpec);
  const operators = Array.from({ length: given.on_failure ?? 0 }, (_unused, index) =>
    card('Operator', `notify-${index}`, { kind: 'http', method: 'post', url: 'http://127.0.0.1:1/' }),
  );
  const on_failure = operators.map((_operator, index) => sibling('Operator', `notify-${index}`));
  const bound = { verifier: sibling('Verifier', 'tone'), ...(on_failure.length > 0 && { on_failure }) };
  const component = { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by: [bound] };
  const service = card('Service', 'desk', { components: [component] });
  const declared = await call('POST', '/v1/cards', {
    body: { submissions: [prompt, agent, verifier, ...operators, service] },
    headers: { 'idempotency-key': uniqueKey() },
  });
  if (declared.status >= 400) throw new Error(declared.text);
  const uids = uidsOf(declared);
  return { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
}

const windowSpec: JsonObject = {
  inputs: { sample: { type: 'samples', features: ['latency'] } },
  requirements: [
    {
      id: 'steady',
      statement: 'The latency is steady',
      check: {
        kind: 'drift',
        on: 'inputs.sample',
        method: 'Custom',
        signal: { kind: 'Metric', name: 'latency' },
        condition: { kind: 'Statistical' },
        profile: { kind: 'Custom', metric_name: 'latency', baseline_value: 1, alert_threshold: 1 },
      },
    },
  ],
};

async function play(host: ScriptedHost, one: ExecutionCase, target: Target): Promise<ExecutionRun> {
  const { submit, verify, calls, concurrent, unsettled = 0, cancel } = one.given;
  await fill(host, unsettled);
  const answers: Answered[] = [];
  if (submit) answers.push(await submitInputs(host.call, target, await inputsOf(host, submit)));
  if (verify) answers.push(await whileTimePasses(host, execute(host, target, verify)));
  for (const call of calls ?? []) answers.push(await makeCall(host, target, call));
  if (concurrent) {
    const inputs = await inputsOf(host, concurrent.submit);
    const all = Array.from({ length: concurrent.count }, () => submitInputs(host.call, target, inputs, concurrent.key));
    answers.push(...(await Promise.all(all)));
  }
  const id = answers[0]?.json?.execution_id as string | undefined;
  if (cancel !== undefined) {
    await host.clock.advance(msOf(cancel));
    await host.call('POST', `/v1/verification/executions/${id}/cancel`);
  }
  const states = one.expect.states && id !== undefined ? await watchStates(host, id) : [];
  return finish(host, one, answers, states);
}

async function makeCall(host: ScriptedHost, target: Target, call: Call): Promise<Answered> {
  if (call.at !== undefined) await host.clock.advance(msOf(call.at));
  if (call.drained) await drain(host);
  const inputs =
    call.raw === undefined ? await inputsOf(host, call.submit ?? {}) : `{"answer":{"kind":"json","value":${call.raw}}}`;
  return submitInputs(host.call, target, inputs, call.key);
}

type Sender = Pick<ScriptedHost, 'call' | 'send'>;

/** JSON text of the inputs; files are uploaded as the case says. */
async function inputsOf(host: Sender, given: JsonObject): Promise<string> {
  const inputs = await Promise.all(
    Object.entries(given).map(async ([slot, value]) => [slot, await inputOf(host, value)] as const),
  );
  return JSON.stringify(Object.fromEntries(inputs));
}

async function inputOf(host: Sender, value: Json): Promise<JsonObject> {
  const file = (value as { file?: { text?: string; sha256?: string; uploaded: boolean } } | null)?.file;
  if (file === undefined) return { kind: 'json', value };
  const content = file.text ?? file.sha256 ?? '';
  const sha256 = createHash('sha256').update(content).digest('hex');
  const size_bytes = Buffer.byteLength(content);
  if (file.uploaded) {
    const body = { files: [{ sha256, size_bytes }] };
    const planned = await host.call('POST', '/v1/verification/evidence', { body });
    await host.send(planned.json.uploads[0].plan, content);
  }
  return { kind: 'file', sha256, size_bytes, format: 'md' };
}

function submitInputs(
  call: TestHost['call'],
  target: Target,
  inputs: string,
  key: string | null = uniqueKey(),
): Promise<Answered> {
  return call('POST', '/v1/verification/enqueue', {
    raw: `{"verifier_card_uid":"${target.verifier_card_uid}","card_uid":"${target.card_uid}","inputs":${inputs}}`,
    headers: { 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }) },
  });
}

async function execute(host: Sender, target: Target, given: JsonObject): Promise<Answered> {
  return host.call('POST', '/v1/verification/execute', {
    body: { ...target, inputs: JSON.parse(await inputsOf(host, given)) },
  });
}

async function whileTimePasses<Value>(host: ScriptedHost, work: Promise<Value>): Promise<Value> {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) await pass(host);
  return ended;
}

async function pass(host: ScriptedHost): Promise<void> {
  await host.rest();
  await host.clock.advance(5_000);
}

/** Unsettled work of another origin, and later its end. */
async function fill({ store, clock, tenant }: ScriptedHost, count: number): Promise<void> {
  const born = { status: 'pending', verdict: null, origin: 'schedule', ended_at: null, result: null } as const;
  const created_at = clock.now();
  const row = { principal: 'filler', method: 'POST', path: '', body_sha256: '', answer: '', created_at };
  // A few at a time, as a service takes them.
  for (let left = count; left > 0; left -= 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, left) }, () => {
        const execution = settledExecution({ ...born, created_at: new Date(created_at).toISOString() });
        return store.attempts.admit(tenant, execution, { ...row, key: v7() });
      }),
    );
  }
}

async function drain({ store, clock }: ScriptedHost): Promise<void> {
  const left = await store.attempts.overdue({ now: clock.now(), pendingBefore: clock.now(), limit: 2_000 });
  const at = new Date(clock.now()).toISOString();
  for (let from = 0; from < left.length; from += 50) {
    const some = left.slice(from, from + 50);
    await Promise.all(some.map(({ tenant, execution_id }) => store.attempts.cancel(tenant, execution_id, at)));
  }
}

async function watchStates(host: ScriptedHost, id: string): Promise<readonly string[]> {
  const seen: string[] = [];
  const until = async (accept: (status: string) => boolean) => {
    for (let look = 0; look < 500; look += 1) {
      const { status } = (await host.call('GET', `/v1/verification/executions/${id}`)).json;
      if (seen.at(-1) !== status) seen.push(status);
      if (accept(status)) return;
      await pass(host);
    }
  };
  await until((status) => status === 'pending');
  host.gates.claim.open();
  await until((status) => status === 'running');
  host.gates.judge.open();
  await until((status) => settledStates.has(status));
  return seen;
}

const settledStates = new Set(['completed', 'cancelled', 'timed_out', 'errored']);

/** Lets time pass until the execution is settled, and a while longer: whoever comes late must change nothing. */
async function finish(
  host: ScriptedHost,
  one: ExecutionCase,
  answers: readonly Answered[],
  states: readonly string[],
): Promise<ExecutionRun> {
  const list = async () => (await host.call('GET', '/v1/verification/executions?limit=200')).json.items;
  const own = async () => (await list()).filter(({ origin }: { origin: string }) => origin !== 'schedule');
  const [item] = await own();
  const state = async () => (await host.call('GET', `/v1/verification/executions/${item?.execution_id}`)).json;
  const waits = item !== undefined && (one.expect.status ?? one.expect.verdict ?? one.given.replay) !== undefined;
  // The first attempt loads what it needs from files, which takes real time: the clock waits for its claim.
  for (let look = 0; waits && look < 100 && (await state()).status === 'pending'; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (let look = 0; waits && look < 2_000 && !settledStates.has((await state()).status); look += 1) await pass(host);
  for (let look = 0; waits && look < 60; look += 1) await pass(host);
  const replay =
    item !== undefined && one.given.replay ? await replayed(host, item.execution_id, one.given.replay) : {};
  const [ended, ...others] = (await own()).filter(({ origin }: { origin: string }) => origin !== 'replay');
  return {
    answers,
    states,
    state: ended === undefined ? undefined : await state(),
    lasted: ended === undefined ? 0 : Date.parse(ended.ended_at) - Date.parse(ended.created_at),
    executions: ended === undefined ? 0 : others.length + 1,
    results_stored: host.stored(),
    replay,
  };
}

/** As the case reads it: its state, with its origin and how many dispatches it has. */
async function replayed(host: ScriptedHost, id: string, body: JsonObject): Promise<JsonObject> {
  const { call } = host;
  const accepted = await call('POST', `/v1/verification/executions/${id}/replay`, { body });
  const read = async () => (await call('GET', `/v1/verification/executions/${accepted.json.execution_id}`)).json;
  for (let look = 0; look < 200 && !settledStates.has((await read()).status); look += 1) await pass(host);
  const state = await read();
  const items = (await call('GET', '/v1/verification/executions?origin=replay')).json.items;
  const verdict = state.result.outcome.verdict;
  return { ...state, verdict, origin: items[0].origin, dispatches: state.dispatches.length };
}
