import { localTenant } from '../auth/authenticate.ts';
import type { Principal } from '../auth/principal.ts';
import type { Execution } from '../ports/executions.ts';
import type { GroupTouch } from '../ports/group-touch.ts';
import type { BindingState, Registry } from '../ports/registry.ts';
import { groupEndOf } from './group-of.ts';

interface MembershipPorts {
  readonly registry: Registry;
}

/**
 * The `group_end` bindings of whose groups an execution becomes a member (docs/spec/background.md §5.3): those of the same
 * subject occurrence that name this Verifier version as a source, when the caller runs as the owner.
 */
export async function membershipsOf(
  { registry }: MembershipPorts,
  principal: Principal,
  binding: BindingState,
  request: { readonly group_id: string | null; readonly workload_uid: string | null },
): Promise<readonly string[]> {
  if (request.group_id === null || !runsAsOwner(principal, binding.owner_uid, request.workload_uid)) return [];
  const siblings = await registry.bindingsOf(principal.tenant, binding.owner_uid);
  return siblings.filter((sibling) => isSourceOf(binding, sibling)).map(({ binding_id }) => binding_id);
}

/** On a host without keys everybody is whoever owns the declaration. */
function runsAsOwner(principal: Principal, ownerUid: string, workloadUid: string | null): boolean {
  return principal.card_uid === ownerUid || workloadUid === ownerUid || principal.id === localTenant;
}

function isSourceOf(binding: BindingState, group: BindingState): boolean {
  const sources = groupEndOf(group)?.sources.values() ?? [];
  return [...sources].some(
    (source) =>
      source.verifier_card_uid === binding.verifier_uid &&
      source.card_uid === binding.subject_uid &&
      source.subject_occurrence_key === binding.occurrence,
  );
}

/** Evidence of an execution was acknowledged now: its groups are due that much later (§5.5). */
export async function touchesOf(
  { registry }: MembershipPorts,
  tenant: string,
  execution: Pick<Execution, 'execution_id' | 'group_id' | 'verifier' | 'request'>,
  now: number,
): Promise<readonly GroupTouch[]> {
  const { execution_id, group_id, verifier, request } = execution;
  if (group_id === null || request.member_of === undefined) return [];
  const member = { execution_id, verifier_uid: verifier.uid ?? '' };
  const bindings = await Promise.all(request.member_of.map((bindingId) => registry.binding(tenant, bindingId)));
  return bindings.flatMap((binding) => {
    const group = binding && groupEndOf(binding);
    if (!group) return [];
    return [{ binding_id: binding.binding_id, group_id, member, due_at: now + group.after_ms }];
  });
}
