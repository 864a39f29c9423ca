import { rolePermissions } from '../auth/permissions.ts';
import type { BindingState } from '../ports/registry.ts';
import { type ExecutionError, executionError } from '../submit/execution-error.ts';
import { type ActivityPorts, isActive, ownerKeys } from '../verify/activity.ts';

/**
 * Why the owner of a group may not have it judged now; null when it may (docs/spec/background.md §5.7 rows 11, 12). The
 * keys that are bound to the owner say whether its authority was taken away.
 */
export async function ownerRefusal(
  ports: ActivityPorts,
  tenant: string,
  binding: BindingState,
  now: number,
): Promise<ExecutionError | null> {
  if (binding.owner_status !== 'active') {
    return executionError('WYRD_AUTH_403_PRINCIPAL_ORPHANED', 'the owner of the group was deleted');
  }
  if (binding.verifier_status === 'deleted') {
    return executionError('WYRD_VERIFICATION_404_TARGET_NOT_FOUND', 'the Verifier of the group was deleted');
  }
  const known = await ownerKeys(ports, tenant);
  if (known.keyless) return null;
  if (known.revoked.has(binding.owner_uid)) {
    return executionError('WYRD_AUTH_401_CREDENTIAL_REVOKED', 'the key of the owner was revoked');
  }
  const living = known.living.filter(({ card_uid }) => card_uid === binding.owner_uid);
  const mayRun = living.some(
    (key) =>
      rolePermissions[key.role].includes('verifier:run') &&
      (key.verifier_uids === null || key.verifier_uids.includes(binding.verifier_uid)),
  );
  if (living.length > 0 && !mayRun) {
    return executionError('WYRD_PERMISSION_403_DENIED_RBAC', 'the owner may no longer run this Verifier');
  }
  if (!isActive(binding, now, known)) {
    return executionError('WYRD_PERMISSION_401_UNAUTHENTICATED', 'the owner has not exchanged its key for too long');
  }
  return null;
}
