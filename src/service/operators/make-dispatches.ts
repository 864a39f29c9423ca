import { createHash } from 'node:crypto';
import type { CardRef } from '#contract/cards/reference.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { JsonObject } from '#contract/json.ts';
import type { VerdictWord, VerificationResult } from '#contract/result.ts';
import type { DispatchContext, NewDispatch } from '../ports/dispatches.ts';
import type { Execution } from '../ports/executions.ts';
import type { GroupHead } from '../ports/groups.ts';
import type { BindingState } from '../ports/registry.ts';

/** A settled execution that Operators may have to hear of. */
export interface SettledWork {
  readonly execution: Execution;
  readonly outcome: VerificationResult['outcome'];
  /** RFC 3339. */
  readonly ended_at: string;
  /** Of a group: the judgment before; null otherwise, or when there was none. */
  readonly previous: GroupHead | null;
}

/** One dispatch for each Operator of the list, with the fields of its templates (docs/spec/background.md §7.2, §9.2). */
export function makeDispatches(
  binding: BindingState,
  list: 'on_failure' | 'on_verdict_change',
  settled: SettledWork,
): readonly NewDispatch[] {
  const frozen = binding.frozen[list];
  const operators = Array.isArray(frozen) ? frozen.filter(isJsonObject) : [];
  const created_at = Date.parse(settled.ended_at);
  const { execution_id } = settled.execution;
  return operators.map((operator) => {
    const dispatch_id = dispatchId(execution_id, operator, list);
    const context = { dispatch_id, ...contextOf(binding, settled) };
    return { dispatch_id, execution_id, binding_id: binding.binding_id, operator, context, created_at };
  });
}

/** A UUIDv7 of the execution's own time and the digest of (execution, operator): a repeat makes the same one. */
function dispatchId(executionId: string, operator: JsonObject, list: string): string {
  const identity = String(operator.uid ?? operator.digest);
  const digest = createHash('sha256').update(`${executionId} ${list} ${identity}`).digest('hex');
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 3) | 8).toString(16);
  return `${executionId.slice(0, 13)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}

const maxSummary = 512;

function contextOf(binding: BindingState, { execution, outcome, ended_at, previous }: SettledWork): DispatchContext {
  const { verifier, subject, execution_id, group_id } = execution;
  return {
    execution_id,
    result_id: execution_id,
    binding_id: binding.binding_id,
    verifier_card_uid: binding.verifier_uid,
    verifier_ref: refText(verifier),
    subject_uid: binding.subject_uid,
    subject_ref: refText(subject),
    verdict: outcome.verdict,
    completed_at: ended_at,
    summary: [...summaryOf(execution, outcome)].slice(0, maxSummary).join(''),
    ...driftCounts(outcome),
    ...(execution.origin === 'group_end' && group_id !== null ? { 'group.group_id': group_id } : {}),
    ...(previous === null
      ? {}
      : { 'group.previous_result_id': previous.execution_id, 'group.previous_verdict': previous.verdict }),
  };
}

function refText({ kind, name, version }: CardRef): string {
  return `${kind}/${name}@${version ?? ''}`;
}

/** Identities and counts; never what was judged. */
function summaryOf({ verifier, subject }: Execution, { verdict, requirements }: VerificationResult['outcome']): string {
  const count = (outcome: VerdictWord) => requirements.filter((requirement) => requirement.outcome === outcome).length;
  const counts = `${count('failed')} failed, ${count('inconclusive')} inconclusive of ${requirements.length} requirements`;
  return `${verifier.name}@${verifier.version ?? ''} on ${subject.name}@${subject.version ?? ''}: ${verdict} (${counts})`;
}

function driftCounts({ requirements }: VerificationResult['outcome']): DispatchContext {
  const [report, ...others] = requirements.flatMap(({ detail }) => {
    const drift = isJsonObject(detail ?? null) ? (detail as JsonObject).drift : undefined;
    return drift !== undefined && isJsonObject(drift) ? [drift] : [];
  });
  if (report === undefined || others.length > 0 || !isJsonObject(report.features ?? null)) return {};
  const features = Object.values(report.features as JsonObject);
  const drifted = features.filter((feature) => isJsonObject(feature) && feature.verdict === 'Drift').length;
  return { 'drift.drifted_features': drifted, 'drift.total_features': features.length };
}
