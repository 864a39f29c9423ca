import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { junitXml } from '#cli/output/junit.ts';
import type { RequirementResult, VerificationResult } from '#contract/result.ts';
import { readXml } from '#test/support/read-xml.ts';

function resultOf(requirements: readonly Partial<RequirementResult>[]): VerificationResult {
  return {
    execution_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    verifier: { kind: 'Verifier', name: 'some-check', version: '1.0.0' },
    subject: { kind: 'Service', name: 'some-desk', version: '1.0.0' },
    engine: { name: 'touchstone', version: '0' },
    outcome: {
      verdict: 'failed',
      evidence: {},
      steps: [{ id: 'read', status: 'succeeded', attempts: 1, duration_ms: 1500 }],
      requirements: requirements.map((requirement, index) => ({
        id: `r${index}`,
        statement: 's',
        outcome: 'passed',
        reason: 'fine',
        reason_code: 'comparison_true',
        check: {},
        ...requirement,
      })),
    },
  };
}

describe('JUnit XML', () => {
  test('has one test case a requirement, each with what became of it', () => {
    const root = readXml(
      junitXml(
        resultOf([
          {},
          {
            outcome: 'failed',
            reason: 'no & <never>',
            reason_code: 'judged_failed',
            citations: [{ slot: 'a', locator: { json_pointer: '/b' } }],
          },
          { outcome: 'inconclusive', reason: 'unknown', reason_code: 'missing_value' },
          { outcome: 'not_applicable', reason: 'skipped', reason_code: 'step_skipped' },
        ]),
      ),
    );
    expect(root).toMatchObject({
      name: 'testsuites',
      attributes: { tests: '4', failures: '1', errors: '1', skipped: '1', time: '1.500' },
    });
    const [suite] = root.children;
    const cases = suite!.children.filter(({ name }) => name === 'testcase');
    expect(
      cases.map(({ children }) => children.map(({ name, attributes }) => [name, attributes.type, attributes.message])),
    ).toEqual([
      [],
      [['failure', 'judged_failed', 'no & <never>']],
      [['error', 'missing_value', 'unknown']],
      [['skipped', undefined, 'skipped']],
    ]);
    expect(cases[1]!.children[0]!.text).toContain('"json_pointer":"/b"');
  });

  test('is well-formed whatever a reason holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...'<>&"\'\u0000\u001b\n\t]]>\ud800é') }),
        (reason, statement) => {
          const xml = junitXml(resultOf([{ outcome: 'failed', reason, statement }]));
          const shown = readXml(xml).children[0]!.children.at(-1)!;
          expect(shown.name).toBe('testcase');
          expect(shown.attributes.name).toBe(`r0: ${statement.replaceAll(/[^\t\n -\u{fffd}]|\p{Cs}/gu, '\ufffd')}`);
          expect(xml.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        },
      ),
    );
  });
});
