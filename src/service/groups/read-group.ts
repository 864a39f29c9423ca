import { Problem } from '#contract/errors.ts';
import { isGroupId, isUuidV7 } from '#contract/ids.ts';
import type { VerdictWord } from '#contract/result.ts';
import type { Principal } from '../auth/principal.ts';
import type { Groups } from '../ports/groups.ts';
import type { BindingState, Registry } from '../ports/registry.ts';
import { toRfc3339 } from '../time.ts';
import { groupEndOf } from './group-of.ts';
import { maxMembers } from './ring-group.ts';

export interface ReadGroupPorts {
  readonly registry: Registry;
  readonly groups: Groups;
}

/** One group as one of its owner's bindings judges it (docs/spec/wire.md §10). */
export interface GroupView {
  readonly binding_id: string;
  readonly verifier_card_uid: string;
  /** RFC 3339; null: nothing waits to be judged. */
  readonly due_at: string | null;
  /** Executions seen of each source slot. */
  readonly sources: Readonly<Record<string, number>>;
  readonly last_execution_id: string | null;
  readonly last_verdict: VerdictWord | null;
}

/** A group that nobody knows, or that no binding shown to the caller judges, is not found. */
export async function readGroup(
  ports: ReadGroupPorts,
  principal: Principal,
  ownerUid: string,
  groupId: string,
): Promise<{ readonly owner_card_uid: string; readonly group_id: string; readonly bindings: readonly GroupView[] }> {
  const isAsked = isUuidV7(ownerUid) && isGroupId(groupId);
  const bindings = isAsked ? await ports.registry.bindingsOf(principal.tenant, ownerUid) : [];
  const shown = bindings.filter(
    ({ verifier_uid }) => principal.verifier_uids === null || principal.verifier_uids.includes(verifier_uid),
  );
  const views = await Promise.all(shown.map((binding) => viewOf(ports, principal.tenant, binding, groupId)));
  const found = views.filter((view) => view !== null);
  if (found.length === 0) throw new Problem('WYRD_SPEC_404_NOT_FOUND', 'no such group');
  return { owner_card_uid: ownerUid, group_id: groupId, bindings: found };
}

async function viewOf(
  { groups }: ReadGroupPorts,
  tenant: string,
  binding: BindingState,
  groupId: string,
): Promise<GroupView | null> {
  const groupEnd = groupEndOf(binding);
  if (groupEnd === null) return null;
  const place = { binding_id: binding.binding_id, group_id: groupId };
  const group = await groups.find(tenant, place);
  if (group === null) return null;
  const members = await groups.members(tenant, place, maxMembers + 1);
  const seen = [...groupEnd.sources].map(([slot, { verifier_card_uid }]) => {
    return [slot, members.filter(({ verifier_uid }) => verifier_uid === verifier_card_uid).length] as const;
  });
  return {
    binding_id: binding.binding_id,
    verifier_card_uid: binding.verifier_uid,
    due_at: group.due_at === null ? null : toRfc3339(group.due_at),
    sources: Object.fromEntries(seen),
    last_execution_id: group.head?.execution_id ?? null,
    last_verdict: group.head?.verdict ?? null,
  };
}
