export {
  acceptsNormalize,
  canBeEmptyValue,
  expectedProblem,
  isVacuous,
  parameterProblems,
  usesExpected,
} from './declared.ts';
export { decodeOperator, encodeOperator, type OperatorDecoding } from './decode-operator.ts';
export { type CheckOutcome, type EachOptions, judgeEach, judgePath, type PathOptions } from './each.ts';
export { type Api, type Comparison, type Judgement, judge } from './judge.ts';
export { type Normalization, normalizeText } from './normalize-text.ts';
export type { OperatorDefinition, Parameter } from './operator.ts';
export { isOperatorName, operators } from './table.ts';
