import { Problem } from '#contract/errors.ts';
import type { BoundedCache } from '../bounded-cache.ts';
import type { ApiKeys } from '../ports/keys.ts';
import type { Registry } from '../ports/registry.ts';
import { permissions } from './permissions.ts';
import type { Principal } from './principal.ts';
import { type TokenClaims, type TokenPorts, verifyToken } from './tokens.ts';

/** The tenant of a host without keys, and of keys made without naming one. */
export const localTenant = 'local';

export interface AuthenticationPorts extends TokenPorts {
  readonly keys: ApiKeys;
  readonly registry: Registry;
  /** Claims of tokens already verified: a signature is checked once, expiry and revocation on every call. */
  readonly verifiedTokens: BoundedCache<TokenClaims>;
}

/** The administrator that everybody is on a loopback host where no key was ever made (docs/spec/wire.md §2.6). */
const localPrincipal: Principal = {
  tenant: localTenant,
  id: localTenant,
  permissions: new Set(permissions),
  verifier_uids: null,
  card_uid: null,
};

/**
 * The caller behind a bearer token. Refuses with 401 before anything has an effect: the published client exchanges its
 * key again and repeats the call (docs/spec/wire.md §1.5, §2).
 */
export async function authenticate(ports: AuthenticationPorts, token: string | null): Promise<Principal> {
  if (token === null || token === '') {
    throw new Problem('WYRD_AUTH_401_UNAUTHENTICATED', 'no access token was sent');
  }
  if (!(await ports.keys.any())) return localPrincipal;
  const claims = await claimsOf(ports, token);
  const key = await ports.keys.find(claims.principal);
  if (!key || key.tenant !== claims.tenant) {
    throw new Problem('WYRD_AUTH_401_INVALID_TOKEN', 'the access token is not valid here');
  }
  if (key.revoked_at !== null) throw new Problem('WYRD_AUTH_401_CREDENTIAL_REVOKED', 'the key was revoked');
  if (key.card_uid !== null) await requireLivingCard(ports, key.tenant, key.card_uid);
  return {
    tenant: key.tenant,
    id: key.key_id,
    permissions: new Set(claims.permissions),
    verifier_uids: key.verifier_uids,
    card_uid: key.card_uid,
  };
}

async function claimsOf(ports: AuthenticationPorts, token: string): Promise<TokenClaims> {
  const known = ports.verifiedTokens.get(token);
  if (known && known.expires_at > ports.clock.now()) return known;
  ports.verifiedTokens.delete(token);
  const claims = await verifyToken(ports, token);
  ports.verifiedTokens.set(token, claims);
  return claims;
}

/** A bound principal lives and dies with its Card. */
export async function requireLivingCard(ports: { readonly registry: Registry }, tenant: string, uid: string) {
  const card = await ports.registry.byUid(tenant, uid);
  if (card?.status === 'active') return;
  throw new Problem('WYRD_AUTH_403_PRINCIPAL_ORPHANED', 'the Card of this key is gone');
}
