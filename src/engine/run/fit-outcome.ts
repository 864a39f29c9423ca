import type { Json } from '#contract/json.ts';
import type { Outcome, RequirementResult, StepResult } from '#contract/result.ts';
import { compact, utf8Length } from '../values/canonical.ts';
import { rememberDigests } from './capture.ts';
import type { Run } from './run.ts';

const maxOutcomeBytes = 16 * 1024 * 1024;
/** Below this a value is not worth replacing: the mark itself takes about 100 bytes. */
const smallest = 1024;

/**
 * Keeps an outcome within 16 MiB: the largest outputs and actuals give way to their hash, largest first, ties in report
 * order (docs/spec/verification.md §16.3).
 */
export function fitOutcome(outcome: Outcome, run: Pick<Run, 'traces'>): Outcome {
  if (isSurelySmall(outcome, run)) return outcome;
  const candidates = candidatesOf(outcome);
  let excess = bytesOf(outcome, candidates) - maxOutcomeBytes;
  if (excess <= 0) return outcome;
  const requirements: RequirementResult[] = [...outcome.requirements];
  const steps: StepResult[] = [...outcome.steps];
  const digest = rememberDigests();
  for (const { kind, position, value, bytes } of candidates) {
    if (excess <= 0) break;
    const mark = { sha256: digest(value), truncated: true };
    const requirement = requirements[position];
    const step = steps[position];
    if (kind === 'actual' && requirement !== undefined) requirements[position] = { ...requirement, actual: mark };
    if (kind === 'output' && step !== undefined) steps[position] = { ...step, output: mark };
    excess -= bytes - utf8Length(compact(mark));
  }
  return { ...outcome, requirements, steps };
}

/**
 * Size of the whole document, which is never written out: 500 requirements may each show the same 16 MiB, more than one
 * text can hold.
 */
function bytesOf(outcome: Outcome, candidates: readonly Candidate[]): number {
  const large = new Set(candidates.map(({ value }) => value));
  const rest = JSON.stringify({
    ...outcome,
    requirements: outcome.requirements.map((result) =>
      isIn(large, result.actual) ? { ...result, actual: 0 } : result,
    ),
    steps: outcome.steps.map((result) => (isIn(large, result.output) ? { ...result, output: 0 } : result)),
  });
  return candidates.reduce((sum, { bytes }) => sum + bytes - 1, utf8Length(rest));
}

function isIn(values: ReadonlySet<Json>, value: Json | undefined): boolean {
  return value !== undefined && values.has(value);
}

interface Candidate {
  readonly kind: 'actual' | 'output';
  readonly position: number;
  readonly value: Json;
  readonly bytes: number;
}

function candidatesOf(outcome: Outcome): readonly Candidate[] {
  const candidates: Candidate[] = [];
  const known = new Map<Json, number>();
  const add = (kind: Candidate['kind'], position: number, value: Json | undefined) => {
    if (value === undefined) return;
    // Many requirements look at the same value: it is measured once.
    const bytes = known.get(value) ?? utf8Length(compact(value));
    known.set(value, bytes);
    if (bytes > smallest) candidates.push({ kind, position, value, bytes });
  };
  for (const [position, { output }] of outcome.steps.entries()) add('output', position, output);
  for (const [position, { actual }] of outcome.requirements.entries()) add('actual', position, actual);
  return candidates.sort((a, b) => b.bytes - a.bytes);
}

/**
 * Requests hold 1 MiB at most, so an outcome without steps and traces and with few enough actuals cannot reach the
 * limit: nothing is serialised for it.
 */
function isSurelySmall(outcome: Outcome, run: Pick<Run, 'traces'>): boolean {
  return outcome.steps.length === 0 && outcome.requirements.length <= 12 && run.traces.length === 0;
}
