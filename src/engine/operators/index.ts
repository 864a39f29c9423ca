export {
  acceptsNormalize,
  canBeEmptyValue,
  expectedProblem,
  isVacuous,
  parameterProblems,
} from './declared.ts';
export { decodeOperator, encodeOperator } from './decode-operator.ts';
export { type CheckOutcome, judgeEach, judgePath } from './each.ts';
export { type Api, type Comparison, judge } from './judge.ts';
export { normalizeText } from './normalize-text.ts';
export { operators } from './table.ts';
