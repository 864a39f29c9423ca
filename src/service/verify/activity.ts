import type { ApiKey, ApiKeys } from '../ports/keys.ts';
import type { BindingState } from '../ports/registry.ts';

/** An owner's exchange keeps its bindings active this long (docs/spec/background.md §3.4). */
const activityMs = 86_400_000;

/** What the keys of a host say of the owners of one tenant. */
export interface OwnerKeys {
  /** No key was ever made here. */
  readonly keyless: boolean;
  /** Keys that were not revoked and are bound to an owner version. */
  readonly living: readonly ApiKey[];
  /** Owner versions that have keys of their own, all of them revoked. */
  readonly revoked: ReadonlySet<string>;
}

export async function ownerKeys(keys: ApiKeys, tenant: string): Promise<OwnerKeys> {
  if (!(await keys.any())) return { keyless: true, living: [], revoked: new Set() };
  const bound = (await keys.list(tenant)).filter(({ card_uid }) => card_uid !== null);
  const living = bound.filter(({ revoked_at }) => revoked_at === null);
  const revoked = ownersOf(bound).difference(ownersOf(living));
  return { keyless: false, living, revoked };
}

function ownersOf(keys: readonly ApiKey[]): Set<string> {
  return new Set(keys.flatMap(({ card_uid }) => card_uid ?? []));
}

/**
 * Whether a binding may admit work now. On a host without keys nobody exchanges anything, so every declared owner is
 * active there; a revoked owner is inactive at once (docs/spec/background.md §3.4).
 */
export function isActive(binding: BindingState, now: number, { keyless, revoked }: OwnerKeys): boolean {
  if (binding.owner_status !== 'active') return false;
  if (keyless) return true;
  if (revoked.has(binding.owner_uid)) return false;
  return binding.activated_at !== null && now - binding.activated_at <= activityMs;
}
