import type { Json, JsonObject } from '#contract/json.ts';
import { type ReasonCode, reasonTexts } from '#contract/reason-codes.ts';
import type { Verdict } from '#contract/result.ts';
import { decodeVerdict } from '../../citations/decode-verdict.ts';
import type { SettlementResult } from '../../run/work.ts';
import { isObject, memberOf } from '../../values/kind.ts';
import type { RecordedRequirement, RecordedStep } from '../read-result.ts';

/** What a step's work answered at one try, as its result shows; null: its output is hidden or cut. */
export function answerOfStep(
  step: RecordedStep | undefined,
  attempt: number,
  isFull: boolean,
): SettlementResult | null {
  const log = step?.attempt_log ?? [];
  const isLast = step === undefined || attempt >= (step.attempts === 0 ? 1 : step.attempts);
  if (!isLast) return failure(codeOf(log[attempt - 1]), true);
  if (step?.status === 'succeeded') {
    const output = isFull ? shownValue(step.output) : undefined;
    return output === undefined ? null : { kind: 'output', output };
  }
  return failure(step?.reason_code ?? 'agent_unavailable', false, isFull ? step?.reason : undefined);
}

function codeOf(text: string | undefined): ReasonCode {
  return text !== undefined && Object.hasOwn(reasonTexts, text) ? (text as ReasonCode) : 'retryable';
}

function failure(code: ReasonCode, retryable: boolean, reason?: string): SettlementResult {
  // The fixed text of a code is what is shown where nothing finer was said.
  const said = reason === undefined || reason === reasonTexts[code] ? {} : { reason };
  return { kind: 'failure', code, retryable, ...said };
}

/** A value that stands in the result itself: neither absent nor replaced by its hash (docs/spec/verification.md §16.3). */
function shownValue(value: Json | undefined): Json | undefined {
  const isCut = isObject(value) && Object.keys(value).length === 2 && memberOf(value, 'truncated') === true;
  return isCut ? undefined : value;
}

/** What the judge of a check answered, as far as its requirement shows. */
export type CheckAnswer =
  | { readonly kind: 'settle'; readonly result: SettlementResult }
  /** Words or data are hidden: the Verdict is taken as it stands, only its citations are looked at again. */
  | { readonly kind: 'place'; readonly verdict: Verdict };

/** A citation of nothing: it is dropped as the ones were that the result no longer shows. */
const droppedCitation: JsonObject = { slot: '', locator: { page: 0 } };

/** Null: the requirement is none that a judge's answer leads to. */
export function answerOfCheck(requirement: RecordedRequirement, isFull: boolean): CheckAnswer | null {
  const { reason_code: code, reason } = requirement;
  const outcome = judgedOutcomes[code];
  if (outcome === undefined) return { kind: 'settle', result: failure(code, false, isFull ? reason : undefined) };
  const citations = code === 'citations_invalid' ? [droppedCitation] : (requirement.citations ?? []);
  if (!isFull) return placing(outcome, citations);
  const data = requirement.data === undefined ? {} : { data: requirement.data };
  const words = code.startsWith('judged_') ? reason : '';
  return { kind: 'settle', result: { kind: 'verdict', verdict: { outcome, reason: words, citations, ...data } } };
}

const judgedOutcomes: Readonly<Partial<Record<ReasonCode, Verdict['outcome']>>> = {
  judged_passed: 'passed',
  judged_failed: 'failed',
  judged_inconclusive: 'inconclusive',
  uncited_pass: 'passed',
  citations_invalid: 'passed',
};

function placing(outcome: Verdict['outcome'], citations: readonly Json[]): CheckAnswer | null {
  const places = citations.map(withoutQuote);
  const decoded = decodeVerdict({ outcome, reason: '', citations: places }, { require_quote: false });
  return decoded.ok ? { kind: 'place', verdict: decoded.verdict } : null;
}

export function withoutQuote(citation: Json): Json {
  if (!isObject(citation)) return citation;
  const { quote: _quote, ...place } = citation;
  return place;
}
