import type { PinnedInput } from '#contract/evidence.ts';
import type { Json } from '#contract/json.ts';
import type { VerificationResult } from '#contract/result.ts';
import { parseSource } from '#engine/references/parse.ts';
import type { Execution, GroupSnapshot } from '../ports/executions.ts';
import type { GroupEnd, GroupSource } from './group-of.ts';
import { orderMembers } from './order-members.ts';

/** What a group judgment is given (docs/spec/background.md §5.6). */
export interface Snapshot {
  readonly inputs: Readonly<Record<string, PinnedInput>>;
  /** What stands behind each slot, in the order of its list. */
  readonly sources: Readonly<Record<string, GroupSnapshot>>;
}

/** The lists of each source slot, over the executions that are visible now. */
export function takeSnapshot(group: GroupEnd, members: readonly Execution[]): Snapshot {
  const orderSlot = /^inputs\.([^.[]+)/.exec(group.order_by ?? '')?.[1];
  const orderSource = orderSlot === undefined ? undefined : group.sources.get(orderSlot);
  const ordered = orderMembers(members, {
    reference: group.order_by ?? 'recorded_at',
    valueOf: (execution) =>
      orderSource && orderSource.verifier_card_uid === execution.verifier.uid
        ? evidenceOf(orderSource, execution)
        : null,
  });
  const slots = [...group.sources].map(([slot, source]) => ({
    slot,
    source,
    own: ordered.filter((execution) => execution.verifier.uid === source.verifier_card_uid),
  }));
  return {
    inputs: Object.fromEntries(
      slots.map(({ slot, source, own }) => [
        slot,
        { kind: 'json', value: own.map((execution) => evidenceOf(source, execution)) },
      ]),
    ),
    sources: Object.fromEntries(
      slots.map(({ slot, source, own }) => [
        slot,
        { reference: source.reference, execution_ids: own.map(({ execution_id }) => execution_id) },
      ]),
    ),
  };
}

/** Null: an absent value, or an outcome whose result is not there (§5.7 rows 7, 8). */
function evidenceOf({ reference }: GroupSource, { request, result }: Execution): Json {
  const parsed = parseSource(reference);
  if (!parsed.ok) return null;
  const { source } = parsed;
  if (source.kind === 'input') {
    const input = Object.hasOwn(request.inputs, source.slot) ? request.inputs[source.slot] : undefined;
    return input === undefined ? null : toJson(input);
  }
  if (result === null) return null;
  const { outcome } = JSON.parse(result) as VerificationResult;
  return outcome.requirements.find(({ id }) => id === source.requirement)?.outcome ?? null;
}

/** A file is its declaration, as a reference to a media slot reads it (docs/spec/verification.md §3.2). */
function toJson(input: PinnedInput): Json {
  if (input.kind === 'json') return input.value;
  return input.kind === 'trace' ? input.trace_id : (JSON.parse(JSON.stringify(input)) as Json);
}
