import { Problem } from '#contract/errors.ts';
import { tenantPattern } from '#contract/ids.ts';
import type { ApiKey, ApiKeys, Role } from '../ports/keys.ts';
import type { Registry } from '../ports/registry.ts';
import type { Clock } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { makeApiKey, sha256Hex } from './api-key.ts';

export interface KeyPorts {
  readonly keys: ApiKeys;
  readonly clock: Clock;
  /** When given, the Card of a bound key is looked up; else the first exchange does it. */
  readonly registry?: Registry;
}

export interface NewKey {
  readonly tenant: string;
  readonly name: string;
  readonly role: Role;
  readonly verifier_uids?: readonly string[];
  /** Binds the key to this exact Service or Agent version. */
  readonly card_uid?: string;
}

/** A key as it may be shown: everything but the digest of its secret. */
export type KeyView = Omit<ApiKey, 'sha256'>;

/** Makes a key. `text` is the only copy there will ever be (docs/spec/wire.md §2.3). */
export async function createKey(
  ports: KeyPorts,
  input: NewKey,
): Promise<{ readonly text: string; readonly key: KeyView }> {
  if (!tenantPattern.test(input.tenant)) throw new Problem('WYRD_SPEC_400_VALIDATION', 'tenant is not a slug');
  if (input.card_uid !== undefined) await requireOwner(ports.registry, input.tenant, input.card_uid);
  const made = makeApiKey(input.tenant);
  const key: ApiKey = {
    key_id: made.key_id,
    tenant: input.tenant,
    name: input.name.slice(0, 128),
    role: input.role,
    verifier_uids: input.verifier_uids ?? null,
    card_uid: input.card_uid ?? null,
    sha256: sha256Hex(made.text),
    created_at: toRfc3339(ports.clock.now()),
    revoked_at: null,
  };
  await ports.keys.create(key);
  return { text: made.text, key: toKeyView(key) };
}

export async function listKeys(ports: KeyPorts, tenant: string): Promise<readonly KeyView[]> {
  return (await ports.keys.list(tenant)).map(toKeyView);
}

/** Revokes at once: tokens already issued for the key stop working too. */
export async function revokeKey(ports: KeyPorts, tenant: string, keyId: string): Promise<void> {
  if (await ports.keys.revoke(tenant, keyId, toRfc3339(ports.clock.now()))) return;
  throw new Problem('WYRD_SPEC_404_NOT_FOUND', 'no active key of that id');
}

/** Whether a Card may be a principal (docs/spec/wire.md §2.5). */
async function requireOwner(registry: Registry | undefined, tenant: string, uid: string): Promise<void> {
  if (!registry) return;
  const card = await registry.byUid(tenant, uid);
  if (card && (card.kind === 'Service' || card.kind === 'Agent') && card.status === 'active') return;
  throw new Problem('WYRD_REGISTRY_404_CARD_NOT_FOUND', 'no active Service or Agent of that uid');
}

function toKeyView({ sha256: _secret, ...view }: ApiKey): KeyView {
  return view;
}
