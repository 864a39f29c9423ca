import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { HttpOperator } from '#contract/cards/operator.ts';
import type { JsonObject } from '#contract/json.ts';
import { buildRequest, providerUrls } from '#service/operators/build-request.ts';
import { makeDispatches } from '#service/operators/make-dispatches.ts';
import type { BindingState } from '#service/ports/registry.ts';
import { consequencesOf } from '#service/submit/consequences.ts';
import { makeHost } from '#test/support/embedded-host.ts';
import { declareOperatorsDesk } from '#test/support/operators-desk.ts';
import { pendingExecution, storedBinding, storedCard } from '#test/support/stored-things.ts';

interface Case {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the README beside the cases says what each form means
  readonly given: any;
  // biome-ignore lint/suspicious/noExplicitAny: the README beside the cases says what each form means
  readonly expect: any;
}

const cases = parse(readFileSync('test/conformance/background/operators.yaml', 'utf8')) as readonly Case[];

/** Shapes and templates are judged in test/engine/declare/background.test.ts; here is what needs a host. */
function one(id: string): Case {
  return cases.find((known) => known.id === id) ?? expect.fail(`no case ${id}`);
}

const ended_at = '2026-03-02T09:00:00.000Z';

describe('conformance of Operators on a host', () => {
  it('operator-connection-missing: missing, disabled and of another provider are refused alike', async () => {
    const { given, expect: expected } = one('operator-connection-missing');
    const answers: unknown[] = [];
    for (const connections of given.connections_each as readonly (readonly JsonObject[])[]) {
      await using host = await makeHost();
      for (const connection of connections) await connect(host.call, connection);
      const { declared } = await declareOperatorsDesk(host, [given.operator]);
      expect(declared.status).toBe(400);
      expect(declared.json.code).toBe(expected.refused.code);
      answers.push([declared.json.detail, declared.json.details]);
    }
    expect(answers).toHaveLength(3);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('operator-connection-missing: with the connection it is declared', async () => {
    await using host = await makeHost();
    await connect(host.call, { name: 'desk-slack', provider: 'slack', status: 'active' });
    const { declared } = await declareOperatorsDesk(host, [one('operator-connection-missing').given.operator]);
    expect(declared.status).toBe(201);
  });

  it('operator-authority', async () => {
    const { given } = one('operator-authority');
    for (const { ok, ...spec } of given.operators_each) {
      await using host = await makeHost();
      const auth = { ...given.connection.auth, value: 'v' };
      expect((await host.call('POST', path, { body: { ...given.connection, auth } })).status).toBe(201);
      const { declared } = await declareOperatorsDesk(host, [{ kind: 'http', method: 'post', ...spec }]);
      expect([spec.url, declared.status < 400], declared.text).toEqual([spec.url, ok]);
    }
  });

  it('operator-render-url-encodes', () => {
    const { given, expect: expected } = one('operator-render-url-encodes');
    const spec = given.operator as HttpOperator;
    const built = buildRequest(spec, { dispatch_id: 'd', context: given.context }, null, providerUrls);
    expect(built.url).toBe(expected.url);
    expect(JSON.parse(built.body ?? '')).toEqual(expected.body);
  });

  it('operator-summary-is-bounded', () => {
    const { given, expect: expected } = one('operator-summary-is-bounded');
    const name = '😀'.repeat(given.summary_length);
    const execution = pendingExecution({ verifier: { kind: 'Verifier', name, version: '1.0.0' } });
    const settled = { execution, outcome: outcomeOf('failed'), ended_at, previous: null };
    const [dispatch] = makeDispatches(bindingWith(1), 'on_failure', settled);
    expect([...String(dispatch?.context.summary)]).toHaveLength(expected.rendered_length);
  });

  it('operator-dispatch-when: of verdicts', async () => {
    const { given } = one('operator-dispatch-when');
    const binding = bindingWith(given.on_failure);
    const groups = { find: async () => null } as never;
    const ports = { registry: { binding: async () => binding, bindingsOf: async () => [] } as never, groups };
    for (const { origin, verdict, dispatches } of given.executions_each) {
      // Without a verdict, or outside a binding, nobody asks for consequences.
      if (verdict === undefined || origin === 'execute') continue;
      const execution = pendingExecution({ origin });
      const made = await consequencesOf(ports, 'main', execution, { outcome: outcomeOf(verdict), ended_at });
      expect([origin, verdict, made.dispatches.length]).toEqual([origin, verdict, dispatches]);
    }
  });
});

const path = '/v1/operator-connections';

async function connect(
  call: Awaited<ReturnType<typeof makeHost>>['call'],
  { name, provider, status }: JsonObject,
): Promise<void> {
  const own = provider === 'slack' ? { workspace_id: 'T1', bot_token: 't' } : { integration_key: 't' };
  const made = await call('POST', path, { body: { name, provider, ...own } });
  await call('PATCH', `${path}/${made.json.connection_id}`, { body: { provider, status } });
}

function outcomeOf(verdict: string) {
  return { verdict, requirements: [], steps: [], evidence: {} } as never;
}

function bindingWith(operators: number): BindingState {
  const owner = storedCard({ kind: 'Service' });
  const verifier = storedCard();
  const on_failure = Array.from({ length: operators }, () => ({ uid: storedCard({ kind: 'Operator' }).uid }));
  const standing = { owner_status: 'active', subject_status: 'active', verifier_status: 'active' } as const;
  return { ...storedBinding(owner, verifier, { frozen: { on_failure } }), ...standing, activated_at: null };
}
