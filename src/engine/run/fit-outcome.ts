import type { Json } from '#contract/json.ts';
import type { Outcome, RequirementResult, StepResult } from '#contract/result.ts';
import { compact, utf8Length } from '../values/canonical.ts';
import { digestOf } from './capture.ts';
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
  let excess = utf8Length(JSON.stringify(outcome)) - maxOutcomeBytes;
  if (excess <= 0) return outcome;
  const requirements: RequirementResult[] = [...outcome.requirements];
  const steps: StepResult[] = [...outcome.steps];
  for (const { kind, position, value, bytes } of candidatesOf(outcome)) {
    if (excess <= 0) break;
    const mark = { sha256: digestOf(value), truncated: true };
    const requirement = requirements[position];
    const step = steps[position];
    if (kind === 'actual' && requirement !== undefined) requirements[position] = { ...requirement, actual: mark };
    if (kind === 'output' && step !== undefined) steps[position] = { ...step, output: mark };
    excess -= bytes - utf8Length(compact(mark));
  }
  return { ...outcome, requirements, steps };
}

interface Candidate {
  readonly kind: 'actual' | 'output';
  readonly position: number;
  readonly value: Json;
  readonly bytes: number;
}

function candidatesOf(outcome: Outcome): readonly Candidate[] {
  const candidates: Candidate[] = [];
  const add = (kind: Candidate['kind'], position: number, value: Json | undefined) => {
    if (value === undefined) return;
    const bytes = utf8Length(compact(value));
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
