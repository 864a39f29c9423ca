import type { Json } from '#contract/json.ts';
import { type ReasonCode, reasonTexts } from '#contract/reason-codes.ts';
import type { EachSelection, Selection } from '../references/select.ts';
import { type Api, type Comparison, type Judgement, judge, newBudget } from './judge.ts';

/** The outcome of one assert or trace check, as the result wants it (docs/spec/verification.md §8, §13). */
export interface CheckOutcome {
  readonly outcome: 'passed' | 'failed' | 'inconclusive';
  readonly code: ReasonCode;
  readonly reason: string;
  readonly actual?: Json;
  readonly expected?: Json;
}

export interface PathOptions {
  readonly api: Api;
  /** §17; false where it is not declared. */
  readonly allow_empty: boolean;
}

export interface EachOptions extends PathOptions {
  /** §17; 0 where it is not declared. */
  readonly min_items: number;
}

type Settled = Extract<Judgement, { actual: Json }>;
type Unsettled = Exclude<Judgement, Settled>;

const unsettledCodes = {
  mismatch: 'operator_mismatch',
  config: 'operator_config',
  empty_value: 'empty_value',
  non_finite: 'non_finite_number',
} as const;

/** `path` (§8.1), and a trace check after its collapse: one value, judged as it is. */
export function judgePath(selection: Selection, comparison: Comparison, options: PathOptions): CheckOutcome {
  if (!selection.found) return inconclusive('missing_value');
  // `allow_empty` only switches `empty_value` off, which is the one rule of touchstone/v1 for these operators.
  const judgement = judge(comparison, selection.value, options.allow_empty ? 'wyrd/v1' : options.api);
  if (!isSettled(judgement)) return unsettled(judgement);
  const { result, ...recorded } = judgement;
  return result === 'true'
    ? { outcome: 'passed', code: 'comparison_true', reason: reasonTexts.comparison_true, ...recorded }
    : { outcome: 'failed', code: 'comparison_false', reason: reasonTexts.comparison_false, ...recorded };
}

/** `each` (§8.2): every item against the same R; what could not be judged wins over what is false. */
export function judgeEach(selection: EachSelection, comparison: Comparison, options: EachOptions): CheckOutcome {
  switch (selection.kind) {
    case 'missing':
      return inconclusive('missing_value');
    case 'not_array':
      return inconclusive('each_not_array');
    case 'items':
      return judgeItems(selection.items, selection.list, comparison, options);
  }
}

function judgeItems(
  items: readonly Json[],
  list: readonly Json[],
  comparison: Comparison,
  options: EachOptions,
): CheckOutcome {
  if (items.length < options.min_items) return inconclusive('too_few_items');
  if (items.length === 0) {
    return options.allow_empty ? passedItems({ actual: list }) : inconclusive('empty_selection');
  }
  const budget = newBudget();
  let failed = 0;
  let last: Settled | undefined;
  for (const item of items) {
    const judgement = judge(comparison, item, options.api, budget);
    if (!isSettled(judgement)) return unsettled(judgement);
    if (judgement.result === 'false') failed += 1;
    last = judgement;
  }
  // R is the same for every item, and so is what is recorded of it.
  const expected = last?.expected;
  const recorded = expected === undefined ? { actual: list } : { actual: list, expected };
  if (failed === 0) return passedItems(recorded);
  const reason = `${failed} of ${items.length} items: ${reasonTexts.comparison_false}`;
  return { outcome: 'failed', code: 'items_failed', reason, ...recorded };
}

function passedItems(recorded: { readonly actual: Json; readonly expected?: Json }): CheckOutcome {
  return { outcome: 'passed', code: 'items_passed', reason: reasonTexts.items_passed, ...recorded };
}

function isSettled(judgement: Judgement): judgement is Settled {
  return judgement.result === 'true' || judgement.result === 'false';
}

function unsettled(judgement: Unsettled): CheckOutcome {
  return { outcome: 'inconclusive', code: unsettledCodes[judgement.result], reason: judgement.reason };
}

function inconclusive(code: ReasonCode): CheckOutcome {
  return { outcome: 'inconclusive', code, reason: reasonTexts[code] };
}
