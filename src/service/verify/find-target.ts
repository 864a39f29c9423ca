import { isCardKind } from '#contract/cards/kinds.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { BindingState, Registry, StoredReference } from '../ports/registry.ts';
import type { Clock } from '../ports.ts';
import { type ActivityPorts, isActive, ownerKeys } from './activity.ts';

export interface TargetPorts extends ActivityPorts {
  readonly clock: Clock;
  readonly registry: Registry;
}

export interface TargetRequest {
  readonly verifier_card_uid: string;
  readonly card_uid: string;
  /** Owner version that the caller says it runs as (`x-wyrd-workload-uid`). */
  readonly workload_uid: string | null;
}

/**
 * The binding under which a Verifier judges a subject for this caller (docs/spec/wire.md §6.4): the caller's own owner
 * version, else the newest active one, else the newest. Unknown, deleted and other tenants' uids are one answer.
 */
export async function findTarget(
  ports: TargetPorts,
  principal: Principal,
  request: TargetRequest,
): Promise<BindingState> {
  const { verifier_card_uid: verifierUid, card_uid: subjectUid } = request;
  const bindings = await ports.registry.bindingsFor(principal.tenant, verifierUid, subjectUid);
  const owner = principal.card_uid ?? request.workload_uid;
  const candidates = bindings.filter(
    (binding) => binding.owner_status === 'active' && (owner === null || binding.owner_uid === owner),
  );
  const [newest] = candidates;
  if (!newest) return refuseTarget(ports, principal.tenant, verifierUid, subjectUid);
  if (!isUsable(newest.verifier_status) || !isUsable(newest.subject_status)) throw notFound();
  if (candidates.length === 1) return newest;
  const keys = await ownerKeys(ports, principal.tenant);
  const now = ports.clock.now();
  return candidates.find((binding) => isActive(binding, now, keys)) ?? newest;
}

async function refuseTarget(
  ports: TargetPorts,
  tenant: string,
  verifierUid: string,
  subjectUid: string,
): Promise<never> {
  const [verifier, subject] = await Promise.all([
    ports.registry.byUid(tenant, verifierUid),
    ports.registry.byUid(tenant, subjectUid),
  ]);
  if (!verifier || !subject || !isUsable(verifier.status) || !isUsable(subject.status)) throw notFound();
  const detail = verifier.kind === 'Verifier' ? 'the Verifier is not bound to that subject' : 'the uid is no Verifier';
  throw new Problem('WYRD_VERIFICATION_400_INVALID_TARGET', detail);
}

function isUsable(status: string): boolean {
  return status === 'active' || status === 'deprecated';
}

function notFound(): Problem {
  return new Problem('WYRD_VERIFICATION_404_TARGET_NOT_FOUND', 'no such Verifier or subject');
}

/** A reference as results show it: never with `space` (docs/spec/wire.md, dialects). */
export function toResultRef(ref: StoredReference): CardRef {
  if (!isCardKind(ref.kind)) throw new Problem('WYRD_SPEC_500_INTERNAL', 'a stored Card of an unknown kind');
  return { kind: ref.kind, name: ref.name, version: ref.version, uid: ref.uid };
}
