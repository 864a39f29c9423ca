import type { JsonObject } from '#contract/json.ts';
import type { Outcome, RequirementResult } from '#contract/result.ts';
import type { Verifier } from '../../plan.ts';
import { equal } from '../../values/equal.ts';
import type { Ledger } from '../ledger.ts';
import type { ReadResult } from '../read-result.ts';
import { withoutQuote } from './recorded-answers.ts';
import type { Reached } from './unknowns.ts';

/** Members that are the world's, not the engine's: who was called, how long it took, what was asked on the way. */
const worldly = ['provenance', 'tool_calls', 'warnings', 'duration_ms', 'dropped_citations'];

/** Everything computed again must be what the result shows; what an unknown reaches is undecidable (records.md §4). */
export function compareOutcome(
  verifier: Verifier,
  replayed: Outcome,
  result: ReadResult,
  reached: Reached,
  /** Steps whose output was not known. */
  hiddenOutputs: ReadonlySet<string>,
  ledger: Ledger,
): void {
  const steps = new Map(result.outcome.steps.map((step) => [step.id, toJson(step)]));
  if (steps.size !== result.outcome.steps.length || steps.size !== replayed.steps.length)
    ledger.invalid('replay', 'step_set', 'result/outcome/steps');
  for (const step of replayed.steps) {
    const at = `step/${step.id}`;
    if (reached.steps.has(step.id)) ledger.undecidable('replay', 'not_recomputed', at);
    else compareStep(toJson(step), steps.get(step.id), hiddenOutputs.has(step.id), at, ledger);
  }
  const requirements = new Map(result.outcome.requirements.map((requirement) => [requirement.id, toJson(requirement)]));
  for (const [position, requirement] of replayed.requirements.entries()) {
    const at = `requirement/${requirement.id}`;
    const kind = verifier.requirements[position]?.check.kind;
    const recorded = requirements.get(requirement.id);
    if (reached.requirements.has(requirement.id)) ledger.undecidable('replay', 'not_recomputed', at);
    else if (kind === 'agent' || kind === 'code') compareJudged(requirement, recorded, at, ledger, verifier.capture);
    else compareMembers(toJson(requirement), recorded, at, ledger);
  }
}

function compareStep(
  step: JsonObject,
  recorded: JsonObject | undefined,
  isHidden: boolean,
  at: string,
  ledger: Ledger,
): void {
  const hidden = isHidden ? ['output'] : [];
  compareMembers(without(step, hidden), recorded && without(recorded, hidden), at, ledger);
}

/** Results are JSON; their interfaces do not say so. */
function toJson(value: object): JsonObject {
  return value as JsonObject;
}

/** A judge's own words and data are the record's to begin with; under capture they are not even there. */
function compareJudged(
  requirement: RequirementResult,
  recorded: JsonObject | undefined,
  at: string,
  ledger: Ledger,
  capture: Verifier['capture'],
): void {
  const hidden = capture === 'full' ? ['reason'] : ['reason', 'data'];
  const places = (value: JsonObject): JsonObject => ({
    ...without(value, hidden),
    ...(Array.isArray(value.citations) && capture !== 'full' && { citations: value.citations.map(withoutQuote) }),
  });
  compareMembers(places(toJson(requirement)), recorded === undefined ? undefined : places(recorded), at, ledger);
}

function compareMembers(computed: JsonObject, recorded: JsonObject | undefined, at: string, ledger: Ledger): void {
  if (recorded === undefined) {
    ledger.invalid('replay', 'not_in_result', at);
    return;
  }
  const [left, right] = [without(computed, worldly), without(recorded, worldly)];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [one, other] = [left[name], right[name]];
    if (one !== undefined && other !== undefined && equal(one, other)) continue;
    ledger.invalid(
      'replay',
      name === 'outcome' || name === 'status' ? 'outcome_differs' : 'detail_differs',
      `${at}/${name}`,
    );
  }
}

function without(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
