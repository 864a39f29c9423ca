import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Outcome } from '#contract/result.ts';
import { toolPermissions } from '#service/auth/tool-permissions.ts';
import { drive } from '#service/drive/drive.ts';
import { perform } from '#service/drive/perform.ts';
import { runInputOf } from '#service/verify/accept-request.ts';
import { type AgentBench, asks, openAgentBench } from '#test/support/agent-bench.ts';
import { type AttemptStore, openAttemptStore, tenant } from '#test/support/attempt-ports.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { inOrder, runMachine } from '#test/support/run-machine.ts';
import { compiled } from '#test/support/settle-in-order.ts';

/** Agents with real tools and a workspace end in the same bytes under both drivers, whatever they ask for. */

let bench: AgentBench;
let attempts: AttemptStore;
beforeAll(async () => {
  [bench, attempts] = await Promise.all([openAgentBench(), openAttemptStore()]);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await attempts[Symbol.asyncDispose]();
});

const agent = {
  prompt: { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'Look.' }] },
  execution_route: { kind: 'wyrd_gateway', deployment: 'judge' },
  tool_names: ['fs.list', 'fs.read', 'fs.search', 'bifrost.list_tables', 'cards.list'],
};

function spec(capture: string): JsonObject {
  return {
    inputs: { doc: { type: 'json' } },
    steps: [
      {
        id: 'look',
        action: { kind: 'agent', agent, workspace: { '/inputs/doc': 'inputs.doc', '/inputs/part': 'inputs.doc.note' } },
      },
    ],
    requirements: [
      {
        id: 'said',
        statement: 'It said something',
        check: { kind: 'assert', path: 'steps.look.output', operator: 'not_equals', expected: '' },
      },
    ],
    context_capture: capture,
  };
}

const call: fc.Arbitrary<readonly [string, Json]> = fc.oneof(
  fc.constantFrom<readonly [string, Json]>(
    ['fs.list', {}],
    ['fs.read', { path: '/inputs/doc' }],
    ['fs.read', { path: '/inputs/part', start: 1, count: 1 }],
    ['fs.read', { path: 7 }],
    ['cards.list', { kind: 'Agent' }],
    ['bifrost.list_tables', {}],
    ['code.run', { source: 'x' }],
  ),
  fc.string({ minLength: 1 }).map((pattern): readonly [string, Json] => ['fs.search', { pattern }]),
);

const asked = fc.record({
  turns: fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
  note: fc.string(),
  capture: fc.constantFrom('full', 'hash', 'redact'),
  said: fc.string(),
});

function bytesOf(outcome: Outcome): string {
  return JSON.stringify({ ...outcome, steps: outcome.steps.map((step) => ({ ...step, duration_ms: 0 })) });
}

it('the machine ends in the same bytes as the in-process driver', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ turns, note, capture, said }) => {
      const replies = [...turns.map((calls) => asks(...calls)), { text: said }];
      const { clock } = bench.store;
      const admitted = await attempts.admitted(spec(capture), { doc: { kind: 'json', value: { note } } }, clock);
      const { ports, execution } = admitted;
      const verifier = compiled(spec(capture));
      const driven = await drive(await bench.effects(replies), {
        tenant,
        permissions: toolPermissions(execution.request),
        verifier,
        run: runInputOf(verifier, execution),
        deadline: clock.now() + 60_000,
      });
      if (driven.kind !== 'finished') throw new Error(driven.kind);
      const effects = await bench.effects(replies);
      await runMachine({ ...ports, effects }, { tenant, execution_id: execution.execution_id }, perform, inOrder);
      const settled = await admitted.find();
      const { outcome } = JSON.parse(settled.result ?? '') as { readonly outcome: Outcome };
      expect(bytesOf(outcome)).toBe(bytesOf(driven.outcome));
      expect(outcome.steps[0]?.tool_calls).toHaveLength(turns.flat().length);
    }),
    { numRuns: numRuns(15) },
  );
});
