import type { Normalize } from '#contract/cards/comparison.ts';
import type { Json } from '#contract/json.ts';
import { acceptsNormalize, expectedProblem, isVacuous, parameterProblems } from '../../operators/index.ts';
import { checkPattern } from '../../values/regex.ts';
import { type Context, judgeStrictly, report, toOperator } from '../context.ts';
import { pay } from '../pattern-cost.ts';

export interface AuthoredComparison {
  readonly operator: Json;
  readonly expected?: Json | undefined;
  readonly normalize?: Normalize | undefined;
}

const expectedMessages = {
  absent: 'the operator compares with expected, which is absent',
  kind: 'expected is of a kind on which the operator is never defined',
};

/** Operator and operand of a check or a `when` (docs/spec/verification.md §7.4, §7.5, §14.4, §17). */
export function checkComparison(context: Context, comparison: AuthoredComparison, path: string): void {
  const operator = toOperator(comparison.operator);
  if (typeof operator.pattern === 'string') checkRegex(context, operator.pattern, path);
  for (const problem of parameterProblems(operator)) judgeStrictly(context, 'operator_config', path, problem);
  const hasExpected = Object.hasOwn(comparison, 'expected') && comparison.expected !== undefined;
  const expected = comparison.expected ?? null;
  const problem = expectedProblem(operator, expected, hasExpected);
  if (problem !== null) judgeStrictly(context, 'expected', path, expectedMessages[problem]);
  const { normalize = 'none' } = comparison;
  if (isVacuous(operator, expected, normalize)) {
    judgeStrictly(context, 'vacuous_expected', path, 'an empty expected makes every answer the same');
  }
  if (normalize !== 'none' && !acceptsNormalize(operator.kind)) {
    report(context, 'option', path, `normalize does not apply to ${operator.kind}`);
  }
}

function checkRegex(context: Context, text: string, path: string): void {
  if (!pay(context.patterns, text)) {
    report(context, 'operator', path, 'the patterns of the Verifier are too large together');
    return;
  }
  const pattern = checkPattern(text);
  if (!pattern.ok) report(context, 'operator', path, `the pattern cannot be used: ${lastLine(pattern.message)}`);
}

/** Engines draw the pattern over several lines; the last one says what is wrong. */
function lastLine(message: string): string {
  return message.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
