import type { ApiKey, ApiKeys } from '../ports/keys.ts';
import type { BindingState } from '../ports/registry.ts';

/** For how long an owner's exchange keeps its bindings active, unless the host says otherwise (docs/spec/background.md §3.4). */
const usualActivityMs = 86_400_000;

export interface ActivityPorts {
  readonly keys: ApiKeys;
  /** In place of a day, in milliseconds. */
  readonly activity_ms?: number;
}

/** What the keys of a host say of the owners of one tenant. */
export interface OwnerKeys {
  /** For how long an exchange counts, in milliseconds. */
  readonly activity_ms: number;
  /** No key was ever made here. */
  readonly keyless: boolean;
  /** Keys that were not revoked and are bound to an owner version. */
  readonly living: readonly ApiKey[];
  /** Owner versions that have keys of their own, all of them revoked. */
  readonly revoked: ReadonlySet<string>;
}

export async function ownerKeys(ports: ActivityPorts, tenant: string): Promise<OwnerKeys> {
  const { keys, activity_ms = usualActivityMs } = ports;
  if (!(await keys.any())) return { activity_ms, keyless: true, living: [], revoked: new Set() };
  const bound = (await keys.list(tenant)).filter(({ card_uid }) => card_uid !== null);
  const living = bound.filter(({ revoked_at }) => revoked_at === null);
  const revoked = ownersOf(bound).difference(ownersOf(living));
  return { activity_ms, keyless: false, living, revoked };
}

function ownersOf(keys: readonly ApiKey[]): Set<string> {
  return new Set(keys.flatMap(({ card_uid }) => card_uid ?? []));
}

/**
 * Whether a binding may admit work now. On a host without keys nobody exchanges anything, so every declared owner is
 * active there; a revoked owner is inactive at once (docs/spec/background.md §3.4).
 */
export function isActive(binding: BindingState, now: number, keys: OwnerKeys): boolean {
  if (binding.owner_status !== 'active') return false;
  if (keys.keyless) return true;
  if (keys.revoked.has(binding.owner_uid)) return false;
  return binding.activated_at !== null && now - binding.activated_at <= keys.activity_ms;
}
