import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';
import { declareOperatorsDesk, settledState, submitAnswer } from '#test/support/operators-desk.ts';
import { startScriptedProvider } from '#test/support/scripted-provider.ts';

const path = '/v1/operator-connections';
const secret = 's3cr3t-never-shown-4711';

async function connect(host: TestHost, body: JsonObject) {
  const made = await host.call('POST', path, { body });
  expect(made.status, made.text).toBe(201);
  return made.json;
}

const ended = (dispatches: readonly { readonly status: string }[]) =>
  dispatches.length > 0 && dispatches.every(({ status }) => status === 'delivered' || status === 'failed');

describe('Operators end to end', () => {
  it('bad work reaches the provider once, with body, key and credential; the secret is found nowhere', async () => {
    await using provider = await startScriptedProvider([{ status: 202, body: `thanks for ${secret}` }]);
    const lines: string[] = [];
    const write = (message: string, fields?: JsonObject) => void lines.push(JSON.stringify([message, fields]));
    const log = { info: write, warn: write, error: write };
    await using host = await makeHost({ allow_loopback_delivery: true }, { log });
    const auth = { scheme: 'header', name: 'X-Key', value: secret };
    const answers = [await connect(host, { provider: 'http', name: 'hooks', origin: `${provider.url}/`, auth })];
    const { uids, target } = await declareOperatorsDesk(host, [
      {
        kind: 'http',
        method: 'post',
        url: '/in/{{subject_ref}}?v={{verdict}}',
        body: { text: '{{summary}}', execution: '{{ execution_id }}', n: 1 },
        auth: { scheme: 'header', name: 'x-key', connection: 'hooks' },
      },
    ]);
    const good = await submitAnswer(host, target, 'we cannot say');
    const bad = await submitAnswer(host, target, 'a sure thing');
    const direct = await host.call('POST', '/v1/verification/execute', {
      body: { ...target, inputs: { answer: { kind: 'json', value: 'a sure thing' } } },
    });
    expect(direct.json.outcome.verdict).toBe('failed');
    const state = await settledState(host, bad, ended);
    const operator = { uid: uids['notify-0'] };
    const [dispatch] = state.json.dispatches;
    expect(state.json.dispatches).toEqual([
      { dispatch_id: dispatch.dispatch_id, operator, status: 'delivered', error: null },
    ]);
    // A second look of the sweep would have called again.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(provider.calls).toHaveLength(1);
    const [call] = provider.calls;
    expect(call).toMatchObject({ method: 'POST', path: '/in/Agent%2Fdesk-agent%401.0.0?v=failed' });
    expect(JSON.parse(call?.body ?? '')).toEqual({
      text: 'tone@1.0.0 on desk-agent@1.0.0: failed (1 failed, 0 inconclusive of 1 requirements)',
      execution: bad,
      n: 1,
    });
    expect(call?.headers).toMatchObject({ 'x-key': secret, 'idempotency-key': dispatch.dispatch_id });
    expect((await settledState(host, good, () => true)).json.dispatches).toEqual([]);
    answers.push(state.text, (await host.call('GET', path)).text);
    expect(JSON.stringify(answers) + lines.join('\n')).not.toContain(secret);
    expect(await filesWith(host.data, secret)).toEqual([]);
    expect((await stat(join(host.data, 'secret-key.json'))).mode & 0o777).toBe(0o600);
  });

  it('one failing Operator stops no other, and changes no verdict', async () => {
    await using refusing = await startScriptedProvider([{ status: 400 }]);
    await using taking = await startScriptedProvider([{ status: 200 }]);
    await using host = await makeHost({ allow_loopback_delivery: true });
    const to = (url: string) => ({ kind: 'http', method: 'put', url: `${url}/`, body: {} });
    const { target } = await declareOperatorsDesk(host, [to(refusing.url), to(taking.url)]);
    const state = await settledState(host, await submitAnswer(host, target, 'sure'), ended);
    const statuses = state.json.dispatches.map(({ status, error }: JsonObject) => [status, error]);
    expect(statuses.sort()).toEqual([
      ['delivered', null],
      ['failed', { code: 'provider_rejected' }],
    ]);
    expect(state.json.result.outcome.verdict).toBe('failed');
  });

  it('without the development switch this machine is never called', async () => {
    await using provider = await startScriptedProvider([{ status: 200 }]);
    await using host = await makeHost();
    const { target } = await declareOperatorsDesk(host, [{ kind: 'http', method: 'get', url: `${provider.url}/` }]);
    const state = await settledState(host, await submitAnswer(host, target, 'sure'), ended);
    expect(state.json.dispatches[0]).toMatchObject({ status: 'failed', error: { code: 'destination_rejected' } });
    expect(provider.calls).toHaveLength(0);
  });

  it('a connection that was disabled after the declaration ends the delivery', async () => {
    await using provider = await startScriptedProvider([{ status: 200 }]);
    await using host = await makeHost({ allow_loopback_delivery: true });
    const auth = { scheme: 'bearer', token: secret };
    const { connection_id } = await connect(host, { provider: 'http', name: 'hooks', origin: provider.url, auth });
    const spec = { kind: 'http', method: 'get', url: '/', auth: { scheme: 'bearer', connection: 'hooks' } };
    const { target } = await declareOperatorsDesk(host, [spec]);
    expect((await host.call('DELETE', `${path}/${connection_id}`)).json.status).toBe('disabled');
    const state = await settledState(host, await submitAnswer(host, target, 'sure'), ended);
    expect(state.json.dispatches[0]).toMatchObject({ status: 'failed', error: { code: 'connection_unavailable' } });
    expect(provider.calls).toHaveLength(0);
  });

  it('speaks the protocols of PagerDuty and Slack', async () => {
    await using provider = await startScriptedProvider(({ path: to }) =>
      to === '/v2/enqueue' ? { status: 202, body: '{"status":"success"}' } : { body: '{"ok":true,"ts":"1"}' },
    );
    const providers = { pager_duty: provider.url, slack: provider.url };
    await using host = await makeHost({ allow_loopback_delivery: true, providers });
    await connect(host, { provider: 'pager_duty', name: 'desk-pager', integration_key: 'routing-1' });
    await connect(host, { provider: 'slack', name: 'desk-slack', workspace_id: 'T1', bot_token: 'xoxb-1' });
    const { target } = await declareOperatorsDesk(host, [
      {
        kind: 'notify',
        channel: {
          kind: 'pager_duty',
          connection: 'desk-pager',
          route: 'desk',
          severity: 'error',
          summary: '{{verifier_ref}}',
        },
      },
      {
        kind: 'notify',
        channel: { kind: 'slack', connection: 'desk-slack', channel_id: 'C01', text: '{{verdict}} "{{subject_ref}}"' },
      },
    ]);
    const state = await settledState(host, await submitAnswer(host, target, 'sure'), ended);
    expect(state.json.dispatches.map(({ status }: JsonObject) => status)).toEqual(['delivered', 'delivered']);
    const bodyOf = (to: string) => JSON.parse(provider.calls.find((call) => call.path === to)?.body ?? '{}');
    const event = bodyOf('/v2/enqueue');
    expect(event).toMatchObject({
      routing_key: 'routing-1',
      event_action: 'trigger',
      payload: {
        summary: 'Verifier/tone@1.0.0',
        source: 'Agent/desk-agent@1.0.0',
        severity: 'error',
        custom_details: { wyrd_route: 'desk' },
      },
    });
    const ids = state.json.dispatches.map(({ dispatch_id }: JsonObject) => dispatch_id);
    expect(ids).toContain(event.dedup_key);
    const message = bodyOf('/api/chat.postMessage');
    expect(message).toMatchObject({ channel: 'C01', text: 'failed "Agent/desk-agent@1.0.0"' });
    expect(ids).toContain(message.metadata.event_payload.dispatch_id);
    const slack = provider.calls.find((call) => call.path === '/api/chat.postMessage');
    expect(slack?.headers).toMatchObject({
      authorization: 'Bearer xoxb-1',
      'content-type': expect.stringMatching(/^application\/json/),
    });
  });
});

/** Names of files below a folder that hold a text. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(4);
  const held = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)));
  return files.filter((_file, index) => held[index]);
}
