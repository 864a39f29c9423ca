import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { card, type Desk, declareDesk, hasModels, settledState, sha256, sibling, unique, upload } from './target.ts';

const tools = [
  'fs.list',
  'fs.read',
  'fs.search',
  'fs.extract',
  'code.run',
  'cards.list',
  'bifrost.list_tables',
  'bifrost.query',
];
const table = Buffer.from('item,price\nacorn,2\n');
const inputs = {
  note: { kind: 'json', value: { said: 'one acorn' } },
  table: { kind: 'file', sha256: sha256(table), size_bytes: table.byteLength, format: 'csv' },
} as const;

async function lookingDesk(): Promise<Desk> {
  const agent = unique('looker');
  const looks = card('Agent', agent, {
    prompt: { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'USE-TOOLS' }] },
    execution_route: { kind: 'wyrd_gateway', deployment: 'acceptance' },
    tool_names: tools,
  });
  const contains = (id: string, expected: string): JsonObject => ({
    id,
    statement: id,
    check: { kind: 'assert', path: 'steps.look.output', operator: 'contains', expected },
  });
  return declareDesk(
    {
      inputs: { note: { type: 'json' }, table: { type: 'media', formats: ['csv'], max_bytes: 1_024 } },
      steps: [
        {
          id: 'look',
          action: {
            kind: 'agent',
            agent: sibling('Agent', agent),
            workspace: { '/inputs/note': 'inputs.note', '/inputs/table': 'inputs.table' },
          },
        },
      ],
      requirements: [
        contains('python-ran', '"result":["/inputs/note"'),
        contains('lines-read', 'one acorn'),
        contains('document-extracted', '/work/table.json'),
        contains('query-answered', '"columns":["answer"],"rows":[[42]]'),
        contains('cards-listed', '"kind":"Verifier"'),
      ],
    },
    [looks],
  );
}

function expectLooked(result: { readonly outcome: JsonObject }): void {
  expect(result.outcome).toMatchObject({ verdict: 'passed', steps: [{ id: 'look', status: 'succeeded' }] });
  const [step] = result.outcome.steps as unknown as readonly [{ readonly tool_calls: readonly JsonObject[] }];
  expect(step.tool_calls.map(({ tool, error }) => ({ tool, error }))).toEqual(tools.map((tool) => ({ tool })));
}

describe.skipIf(!hasModels)('an agent with tools', () => {
  it('looks at its workspace, at Cards and at recorded data, now and in the background', async () => {
    await upload(table);
    const desk = await lookingDesk();
    const direct = await desk.execute(inputs);
    expect(direct.status, direct.text).toBe(200);
    expectLooked(direct.json);
    const { json } = await desk.enqueue(inputs);
    const settled = await settledState(json.execution_id);
    expect(settled.json.status).toBe('completed');
    expectLooked(settled.json.result);
  });
});
