import { Problem } from '#contract/errors.ts';
import type { Permission } from './permissions.ts';

/** Who calls, as the token says and the key still allows. Every read and write carries its tenant. */
export interface Principal {
  readonly tenant: string;
  /** Key id, or `local` in the mode without keys: part of the scope of idempotency keys. */
  readonly id: string;
  readonly permissions: ReadonlySet<Permission>;
  /** When set, `verifier:run` is held for these Verifiers only. */
  readonly verifier_uids: readonly string[] | null;
  /** Service or Agent version it is bound to; null = unbound. */
  readonly card_uid: string | null;
}

/** 403 unless one of the permissions is held (docs/spec/wire.md §2.4). */
export function requirePermission(principal: Principal, anyOf: readonly Permission[]): void {
  if (anyOf.some((permission) => principal.permissions.has(permission))) return;
  throw new Problem('WYRD_PERMISSION_403_DENIED_RBAC', `this needs ${anyOf.join(' or ')}`);
}

/** 403 unless this very Verifier may be run. */
export function requireVerifier(principal: Principal, verifierUid: string): void {
  if (principal.verifier_uids === null || principal.verifier_uids.includes(verifierUid)) return;
  throw new Problem('WYRD_PERMISSION_403_DENIED_RBAC', 'this principal may not run that Verifier');
}
