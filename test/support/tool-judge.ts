import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { asks, toldBy } from './agent-bench.ts';
import { type Answered, card, sibling, uidsOf, uniqueKey } from './embedded-host.ts';
import type { CaseHost, OpenHost } from './http-case.ts';
import { startModelServer } from './model-server.ts';

const rules = new TextEncoder().encode('1. Refunds up to 50 euro.\n2. Never promise.\n');
const rulesEntry = {
  relative_path: 'rules.md',
  sha256: createHash('sha256').update(rules).digest('base64'),
  size_bytes: rules.byteLength,
  content_type: 'text/markdown',
};

const judge = card('Agent', 'reader', {
  prompt: { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'Find what applies.' }] },
  execution_route: { kind: 'wyrd_gateway', deployment: 'judge' },
  tool_names: ['fs.list', 'fs.read', 'fs.search', 'code.run', 'cards.get', 'bifrost.query'],
});

const verifier = card('Verifier', 'rules-kept', {
  inputs: { ticket: { type: 'json' } },
  steps: [
    {
      id: 'look',
      action: {
        kind: 'agent',
        agent: sibling('Agent', 'reader'),
        workspace: {
          '/inputs/ticket': 'inputs.ticket',
          '/inputs/policy': { artifact: { card: { kind: 'Artifact', name: 'policy', version: '1.0.0' } } },
        },
      },
    },
  ],
  requirements: [
    {
      id: 'applies',
      statement: 'The ticket obeys the policy',
      check: {
        kind: 'code',
        source: {
          inline: code([
            'def check(found):',
            '    return {"outcome": "passed", "reason": found, "citations":',
            '        [{"slot": "attachment_0", "locator": {"lines": {"start": 1, "end": 1}}}]}',
          ]),
        },
        entrypoint: 'check',
        inputs: { found: 'steps.look.output' },
      },
    },
  ],
  context_capture: 'full',
});

function code(lines: readonly string[]): string {
  return lines.join('\n');
}

/** A Verifier whose agent has tools and a workspace with an Artifact's files, over HTTP, on whatever host. */
export async function judgeWithTools(open: OpenHost): Promise<void> {
  const source = 'def main(workspace):\n    return len(workspace.list("/inputs"))';
  const models = await startModelServer({
    judge: [
      asks(['fs.list', {}], ['fs.search', { pattern: 'refunds', regex: false }]),
      asks(
        ['fs.read', { path: '/inputs/policy/rules.md' }],
        ['code.run', { source }],
        ['cards.get', { kind: 'Artifact', name: 'policy' }],
        ['bifrost.query', { sql: 'select count(*) as n from traces.spans' }],
      ),
      { text: 'rule 1' },
    ],
  });
  const deployments = { judge: { provider: 'openai-compatible', base_url: models.url('judge') } };
  await using host = await open({ deployments }, {});
  try {
    const answered = await declareAndExecute(host);
    expect(answered.json).toMatchObject({ outcome: { verdict: 'passed' } });
    const [step] = answered.json.outcome.steps;
    expect(step.tool_calls.map(({ tool, error }: JsonObject) => [tool, error ?? null])).toEqual(
      ['fs.list', 'fs.search', 'fs.read', 'code.run', 'cards.get', 'bifrost.query'].map((tool) => [tool, null]),
    );
    expect(answered.json.outcome.requirements[0].citations).toEqual([
      { slot: 'attachment_0', locator: { lines: { start: 1, end: 1 } } },
    ]);
    expect(answered.json.outcome.evidence).toHaveProperty('attachment_0');
    const told = toldBy(models.requests('judge').at(-1)) as readonly JsonObject[];
    expect(told[0]).toMatchObject({ entries: [{ path: '/inputs/policy/rules.md' }, { path: '/inputs/ticket' }] });
    expect(told[2]).toMatchObject({
      slots: ['attachment_0'],
      lines: [{ locator: { lines: { start: 1, end: 1 } } }, {}],
    });
    expect(told[3]).toMatchObject({ result: 2 });
    expect(told[4]).toMatchObject({ card: { kind: 'Artifact' } });
    expect(told[5]).toMatchObject({ columns: ['n'], rows: [[0]] });
  } finally {
    await models.close();
  }
}

async function declareAndExecute(host: CaseHost): Promise<Answered> {
  const artifact = await host.declare([{ ...card('Artifact', 'policy', {}), artifacts: [rulesEntry] }]);
  const [upload] = artifact.json.upload_plans[0].entries;
  expect(await host.send(upload.plan, rules)).toBeLessThan(300);
  await host.call('POST', `/v1/cards/upload/${upload.upload_id}/complete`, {
    headers: { 'idempotency-key': uniqueKey() },
    body: { protocol: upload.plan.protocol, data: {} },
  });
  const completed = await host.call('POST', `/v1/cards/${uidsOf(artifact).policy}/complete`, {
    headers: { 'idempotency-key': uniqueKey() },
    body: null,
  });
  expect(completed.json.outcomes).toMatchObject([{ status: 'active' }]);
  const declared = await host.declare([
    judge,
    verifier,
    card('Service', 'desk', { verified_by: [{ verifier: sibling('Verifier', 'rules-kept') }] }),
  ]);
  expect(declared.json.code, declared.text).toBeUndefined();
  const uids = uidsOf(declared);
  return host.call('POST', '/v1/verification/execute', {
    body: {
      verifier_card_uid: uids['rules-kept'],
      card_uid: uids.desk,
      inputs: { ticket: { kind: 'json', value: { note: 'refunds asked' } } },
    },
  });
}
