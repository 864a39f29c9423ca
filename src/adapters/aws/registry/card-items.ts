import { valuePrefixes } from '#contract/aws-names.ts';
import type { CardStatus, StoredBinding, StoredCard } from '#service/ports/registry.ts';
import {
  bindingKey,
  bindingListKey,
  cardDocumentKey,
  cardListKey,
  cardStateKey,
  liveVersionKey,
  ownedBindingKey,
  pairPartition,
  pastVersionKey,
} from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { Values } from '../values.ts';

/** The rows of Cards and bindings (docs/decisions/tables.md). All are written once but the state of a Card. */

/** A Card in one of these holds its version; the others have freed it. */
const liveStatuses: readonly CardStatus[] = ['pending', 'active', 'deprecated'];

export function isLive(status: CardStatus): boolean {
  return liveStatuses.includes(status);
}

/** Everything of a Card but what changes. */
export type CardDocument = Omit<StoredCard, 'status' | 'updated_at'>;

export async function cardItems(values: Values, tenant: string, card: StoredCard): Promise<Item[]> {
  const { status, updated_at, ...document } = card;
  const { uid, kind, space, name, version } = card;
  const owner = `${valuePrefixes.cards}${tenant}/${uid}`;
  const packed = await values.pack(owner, { document: JSON.stringify(document satisfies CardDocument) });
  const list = { list_key: cardListKey(tenant), list_order: uid };
  const versionKey = isLive(status) ? liveVersionKey(tenant, card, version) : pastVersionKey(tenant, card, uid);
  return [
    { ...cardStateKey(tenant, uid), ...list, uid, kind, space, name, version, status, updated_at },
    { ...cardDocumentKey(tenant, uid), ...packed },
    { ...versionKey, uid },
  ];
}

export async function bindingItems(
  values: Values,
  tenant: string,
  binding: StoredBinding,
  position: number,
): Promise<Item[]> {
  const { binding_id, owner_uid, occurrence, subject_uid, verifier_uid } = binding;
  const owner = `${valuePrefixes.cards}${tenant}/bindings/${binding_id}`;
  const packed = await values.pack(owner, { document: JSON.stringify(binding) });
  const list = { list_key: bindingListKey(tenant), list_order: binding_id };
  return [
    { ...bindingKey(tenant, binding_id), ...packed, ...list, binding_id, owner_uid, subject_uid, verifier_uid },
    { ...ownedBindingKey(tenant, owner_uid, occurrence, verifier_uid), binding_id, position },
    { pk: pairPartition(tenant, verifier_uid, subject_uid), sk: `${owner_uid}#${binding_id}`, binding_id },
  ];
}
