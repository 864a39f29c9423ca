import type { AuthoredCheck, AuthoredCondition, AuthoredRequirement, AuthoredStep } from '#contract/cards/verifier.ts';
import { isExtractable } from '#contract/formats.ts';
import { canBeEmptyValue } from '../../operators/index.ts';
import { parseSelector } from '../../trace/parse-selector.ts';
import { type Context, judgeStrictly, report, toOperator, toReference, warn, wholeSlot } from '../context.ts';
import { toFormats } from '../slot-formats.ts';
import { checkAgentCall } from './agent-call.ts';
import { checkCodeCall } from './code-call.ts';
import { checkComparison } from './comparison.ts';
import { checkDrift } from './drift.ts';
import type { Graph } from './graph.ts';
import { checkReference, type Position } from './references.ts';

type Check<K extends AuthoredCheck['kind']> = Extract<AuthoredCheck, { kind: K }>;

/** One step whole: budget, `depends_on`, `when`, action (docs/spec/verification.md §14.3). */
export function checkStep(context: Context, step: AuthoredStep, index: number): void {
  const path = `steps[${index}]`;
  if (step.timeout_seconds === 0) {
    report(context, 'step_budget', `${path}.timeout_seconds`, 'at least one second');
  }
  if ((step.retries ?? 0) > 5) report(context, 'step_budget', `${path}.retries`, 'at most 5');
  for (const name of new Set(step.depends_on)) {
    if (!context.steps.has(name)) report(context, 'unknown_reference', `${path}.depends_on`, `no step ${name}`);
  }
  if (step.when) checkCondition(context, step.when, `${path}.when`);
  checkAction(context, step, { place: 'action', path: `${path}.action`, wildcard: false });
}

function checkCondition(context: Context, when: AuthoredCondition, path: string): void {
  const reference = toReference(when.path);
  checkReference(context, reference, { place: 'when', path, wildcard: false }, null);
  checkComparison(context, when, path);
  if (reference.root === 'verdict' && reference.field === 'reason') {
    warn(context, 'reason_gate', path, 'a reason is wording that may change; gate on the outcome');
  }
}

function checkAction(context: Context, { action }: AuthoredStep, position: Position): void {
  if (action.kind === 'agent') {
    checkAgentCall(context, action, position, null);
    return;
  }
  if (action.kind === 'code') {
    checkCodeCall(context, action, position, null);
    return;
  }
  const reference = toReference(action.from);
  if (!checkReference(context, reference, position, null)) return;
  const slot = context.slots.get(wholeSlot(reference) ?? '');
  if (typeof slot !== 'object' || slot.type !== 'media') {
    report(context, 'extract_source', position.path, '`from` is one whole media slot');
    return;
  }
  if (!toFormats(slot.formats).every(isExtractable)) {
    report(context, 'extract_format', position.path, 'a format of the slot cannot be extracted');
  }
}

/** A requirement of a step, or of the whole Verifier when `step` is absent. */
export function checkRequirement(
  context: Context,
  requirement: AuthoredRequirement,
  path: string,
  graph: Graph,
  step?: string,
): void {
  const place = step === undefined ? 'check' : 'step_check';
  const position = { place, path, wildcard: false, ...(step === undefined ? {} : { step }) } as const;
  if (requirement.statement.trim() === '') warn(context, 'statement', path, 'the statement is empty');
  const { check } = requirement;
  switch (check.kind) {
    case 'assert':
      checkAssert(context, check, position, graph);
      return;
    case 'trace':
      checkTrace(context, check, position, graph);
      return;
    case 'agent':
      checkAgentCall(context, check, position, graph);
      return;
    case 'code':
      checkCodeCall(context, check, position, graph);
      return;
    case 'drift':
      checkDrift(context, check, path);
      return;
  }
}

function checkAssert(context: Context, check: Check<'assert'>, position: Position, graph: Graph): void {
  const path = check.path ?? null;
  const each = check.each ?? null;
  if ((path === null) === (each === null)) {
    report(context, 'assert_selector', position.path, 'exactly one of path and each');
  }
  if (path !== null) checkReference(context, toReference(path), position, graph);
  if (each !== null) checkReference(context, toReference(each), { ...position, wildcard: true }, graph);
  checkComparison(context, check, position.path);
  checkOptions(context, check, position.path);
}

/** §17: `min_items` belongs to `each`, `allow_empty` with `path` to operators for which an empty list is vacuous. */
function checkOptions(context: Context, check: Check<'assert'>, path: string): void {
  const isEach = (check.each ?? null) !== null;
  if (check.min_items !== undefined) {
    if (!isEach) report(context, 'option', path, 'min_items belongs to each');
    if (check.allow_empty === true) report(context, 'option', path, 'min_items does not go with allow_empty');
  }
  if (check.allow_empty === true && !isEach && !canBeEmptyValue(toOperator(check.operator).kind)) {
    report(context, 'option', path, 'allow_empty does not apply to this operator');
  }
}

function checkTrace(context: Context, check: Check<'trace'>, position: Position, graph: Graph): void {
  const reference = toReference(check.on);
  if (checkReference(context, reference, position, graph)) {
    const slot = context.slots.get(wholeSlot(reference) ?? '');
    if (typeof slot !== 'object' || slot.type !== 'trace') {
      report(context, 'trace_source', position.path, '`on` is one whole trace slot');
    }
  }
  checkComparison(context, check, position.path);
  if (!parseSelector(check.span_selector).ok) {
    judgeStrictly(context, 'jsonpath', position.path, 'the span selector cannot be parsed');
  }
}
