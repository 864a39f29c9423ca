import type { Json } from '#contract/json.ts';
import { parseReference } from '#engine/references/parse.ts';
import { select } from '#engine/references/select.ts';
import type { Execution } from '../ports/executions.ts';

export interface MemberOrder {
  /** `recorded_at`, or `inputs.<slot>` with fields and indexes below it. */
  readonly reference: string;
  /** The value that the reference reads below. */
  readonly valueOf: (execution: Execution) => Json;
}

/**
 * By key (numbers before texts before the rest, ascending), then recorded time, then execution id: a total order
 * (docs/spec/background.md §5.6).
 */
export function orderMembers(members: readonly Execution[], order: MemberOrder): readonly Execution[] {
  const parsed = parseReference(order.reference);
  const selector = parsed.ok && parsed.reference.root === 'input' ? parsed.reference.selector : null;
  const keyed = members.map((execution) => {
    const selection = selector === null ? null : select(order.valueOf(execution), selector);
    return { execution, key: selection?.found ? selection.value : null };
  });
  return keyed
    .sort(
      (left, right) =>
        compareKeys(left.key, right.key) ||
        compareTexts(left.execution.created_at, right.execution.created_at) ||
        compareTexts(left.execution.execution_id, right.execution.execution_id),
    )
    .map(({ execution }) => execution);
}

function compareKeys(left: Json, right: Json): number {
  const ranks = rankOf(left) - rankOf(right);
  if (ranks !== 0) return ranks;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return typeof left === 'string' && typeof right === 'string' ? compareBytes(left, right) : 0;
}

function rankOf(key: Json): number {
  return { number: 0, string: 1 }[typeof key as string] ?? 2;
}

/** Texts of one alphabet: times and ids. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** By UTF-8 bytes, which is the order of code points (docs/spec/verification.md §16.1). */
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
