import { expect, test } from 'vitest';
import { citedText } from '#cli/evidence/cited-text.ts';
import { verdictTree } from '#cli/output/verdict-tree.ts';
import { paintFor } from '#cli/terminal.ts';
import type { VerificationResult } from '#contract/result.ts';

const clearScreen = '\u001b[2J';
const result: VerificationResult = {
  execution_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  verifier: { kind: 'Verifier', name: 'some-check', version: '1.0.0' },
  subject: { kind: 'Agent', name: 'some-agent', version: '2.0.0' },
  engine: { name: 'touchstone', version: '0' },
  outcome: {
    verdict: 'failed',
    evidence: {},
    steps: [
      {
        id: 'read',
        status: 'skipped',
        attempts: 0,
        duration_ms: 0,
        reason: 'not sent',
        reason_code: 'missing_required_input',
      },
    ],
    requirements: [
      {
        id: 'judged',
        statement: `The letter ${clearScreen} is kind`,
        outcome: 'failed',
        reason: `line one${clearScreen}\nline two`,
        reason_code: 'judged_failed',
        citations: [
          { slot: 'letter', locator: { lines: { start: 2, end: 3 } } },
          { slot: 'refund', locator: { json_pointer: '/lines/1/amount' } },
          { slot: 'elsewhere', locator: { page: 3 } },
          { slot: 'refund', locator: { json_pointer: '/__proto__' } },
        ],
        check: { kind: 'agent' },
      },
      {
        id: 'compared',
        statement: 's',
        outcome: 'failed',
        reason: 'the comparison does not hold',
        reason_code: 'comparison_false',
        actual: 'x'.repeat(500),
        expected: { max: 3 },
        check: { kind: 'assert', path: 'inputs.answer', operator: { kind: 'has_max_length', max: 3 } },
      },
      {
        id: 'open',
        statement: 's',
        outcome: 'inconclusive',
        reason: 'unknown',
        reason_code: 'missing_value',
        check: {},
      },
    ],
  },
};

const cited = citedText(
  new Map([
    ['letter', { kind: 'text', text: `one\r\ntwo${clearScreen}\nthree\nfour` }],
    ['refund', { kind: 'json', value: { lines: [{}, { amount: 7 }] } }],
  ]),
);

test('shows verdict, reasons, values and cited places, and lets nothing reach the terminal that acts on it', () => {
  const plain = verdictTree(result, cited, paintFor(false, {}));
  expect(plain).toBe(
    [
      '✗ failed  some-check@1.0.0 on Agent some-agent@2.0.0',
      '├─ ✗ failed  judged  The letter \\x1b[2J is kind',
      '│    line one\\x1b[2J',
      '│    line two',
      '│    letter:2-3',
      '│      2 │ two\\x1b[2J',
      '│      3 │ three',
      '│    refund#/lines/1/amount  7',
      '│    elsewhere:page 3',
      '│    refund#/__proto__',
      '├─ ✗ failed  compared  s',
      '│    the comparison does not hold',
      '│    check  inputs.answer has_max_length {"max":3}',
      `│    actual "${'x'.repeat(98)}…`,
      '├─ ? inconclusive  open  s',
      '│    unknown [missing_value]',
      '└─ ! skipped  step read',
      '     not sent [missing_required_input]',
      '',
    ].join('\n'),
  );
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [undefined, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
])('terminal %s with %j: colours %s', (isTerminal, environment, coloured) => {
  expect(verdictTree(result, cited, paintFor(isTerminal, environment)).includes('\u001b[')).toBe(coloured);
});
