import type { Json } from '#contract/json.ts';
import { reasonTexts } from '#contract/reason-codes.ts';
import { type CheckOutcome, judgePath, type PathOptions } from '../operators/each.ts';
import type { Comparison } from '../operators/judge.ts';
import { collapse } from './collapse.ts';
import { parseSelector } from './parse-selector.ts';
import { selectSpans } from './select-spans.ts';

/** One trace check on a trace that was read: select, collapse, judge (docs/spec/verification.md §9). */
export function judgeTrace(
  trace: Json,
  check: Comparison & { readonly selector: string; readonly select: 'collapse' | 'list' },
  options: PathOptions,
): CheckOutcome {
  const parsed = parseSelector(check.selector);
  if (!parsed.ok) return invalid(reasonTexts.jsonpath_invalid);
  const selection = selectSpans(trace, parsed.selector);
  if (!selection.ok) return invalid('the span selector takes too many steps');
  return judgePath({ found: true, value: collapse(selection.matches, check.select) }, check, options);
}

function invalid(reason: string): CheckOutcome {
  return { outcome: 'inconclusive', code: 'jsonpath_invalid', reason };
}
