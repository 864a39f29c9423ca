import type { JsonObject } from '#contract/json.ts';
import { card, sibling, unique } from './target.ts';

/** Three assertions over one JSON slot: all that most Verifiers are. */
export const toneSpec: JsonObject = {
  inputs: { answer: { type: 'json', required: false } },
  requirements: [
    assertion('no-promise', { path: 'inputs.answer', operator: 'not_contains', expected: 'sure' }),
    assertion('short', { path: 'inputs.answer', operator: { kind: 'has_max_length', max: 40 } }),
    assertion('pattern', { path: 'inputs.answer', operator: { kind: 'matches_regex', pattern: '^[a-z ]+$' } }),
  ],
};

export const codeSpec: JsonObject = {
  inputs: { amount: { type: 'json' } },
  requirements: [
    {
      id: 'even',
      statement: 'The amount is even',
      check: {
        kind: 'code',
        entrypoint: 'check',
        source: {
          inline: [
            'def check(amount):',
            '    outcome = "passed" if amount % 2 == 0 else "failed"',
            '    citations = [{"slot": "amount", "locator": {"json_pointer": ""}}]',
            '    return {"outcome": outcome, "reason": "remainder", "citations": citations}',
          ].join('\n'),
        },
        inputs: { amount: 'inputs.amount' },
      },
    },
  ],
};

export const tableSpec: JsonObject = {
  inputs: { lines: { type: 'media', formats: ['csv'], max_bytes: 1_048_576 } },
  steps: [{ id: 'read', action: { kind: 'extract', from: 'inputs.lines' } }],
  requirements: [assertion('rows', { path: 'steps.read.output', operator: 'is_not_null' })],
};

/** A PDF and a workbook, read and cited: the code check cites the page that it is given. */
export function documentSpec(page: number): JsonObject {
  return {
    inputs: {
      report: { type: 'media', formats: ['pdf'] },
      ledger: { type: 'media', formats: ['xlsx'] },
    },
    steps: [
      { id: 'read-report', action: { kind: 'extract', from: 'inputs.report' } },
      { id: 'read-ledger', action: { kind: 'extract', from: 'inputs.ledger' } },
    ],
    requirements: [
      assertion('second-page', {
        path: 'steps.read-report.output.pages[1].text',
        operator: 'contains',
        expected: 'second point',
      }),
      assertion('first-sheet', {
        path: 'steps.read-ledger.output.sheets[0].name',
        operator: 'equals',
        expected: 'Ledger',
      }),
      {
        id: 'cited',
        statement: 'The total of the ledger is in the report',
        check: {
          kind: 'code',
          entrypoint: 'check',
          source: {
            inline: [
              'def check(report, ledger):',
              '    totals = [c["value"] for c in ledger["sheets"][0]["cells"] if c["formula"] == "=SUM(B2:B3)"]',
              '    found = totals == [118.4] and "118,40" in report["pages"][0]["text"]',
              `    citations = [{"slot": "report", "locator": {"page": ${page}}}]`,
              '    return {"outcome": "passed" if found else "failed", "reason": "total", "citations": citations}',
            ].join('\n'),
          },
          inputs: { report: 'steps.read-report.output', ledger: 'steps.read-ledger.output' },
        },
      },
    ],
  };
}

/** A Verifier with one agent check, and the Cards of its judge. */
export function judged(): { readonly spec: JsonObject; readonly cards: readonly JsonObject[] } {
  const [prompt, judge] = [unique('judge-prompt'), unique('judge')];
  return {
    cards: [
      card('Prompt', prompt, {
        provider: 'openai',
        model: 'acceptance-model',
        messages: [{ role: 'user', content: 'Judge this text: {{text}}' }],
        response_format: 'verdict',
      }),
      card('Agent', judge, {
        prompt: sibling('Prompt', prompt),
        execution_route: { kind: 'wyrd_gateway', deployment: 'acceptance' },
      }),
    ],
    spec: {
      inputs: { text: { type: 'json' } },
      requirements: [
        {
          id: 'judged',
          statement: 'The text is good',
          check: { kind: 'agent', agent: sibling('Agent', judge), inputs: { text: 'inputs.text' } },
        },
      ],
    },
  };
}

function assertion(id: string, check: JsonObject): JsonObject {
  return { id, statement: `The answer is ${id}`, check: { kind: 'assert', ...check } };
}
