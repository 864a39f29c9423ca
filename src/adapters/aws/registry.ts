import type { Registry } from '#service/ports/registry.ts';
import { updateIf } from './dynamo/conditional-write.ts';
import { activationKey } from './keys.ts';
import { removeCard, settlePendingCard } from './registry/change-status.ts';
import { declare } from './registry/declare.ts';
import { bindingsOfOwner, bindingsOfPair, listBindings, readBinding } from './registry/read-bindings.ts';
import { listCards, readCard, readVersions } from './registry/read-cards.ts';
import type { RegistryStore } from './registry/registry-store.ts';

/** Admits an owner that never exchanged. */
const isFirst = 'attribute_not_exists(activated_at)';
/** Admits an exchange that is newer than the one noted. */
const isNewer = 'activated_at < :at';

/** Cards and bindings in DynamoDB. Everything but `list` is read consistently. */
export function dynamoRegistry(store: RegistryStore): Registry {
  return {
    byUid: (tenant, uid) => readCard(store, tenant, uid),
    versions: (tenant, name) => readVersions(store, tenant, name),
    list: (tenant, filter, page) => listCards(store, tenant, filter, page),
    declare: (tenant, declaration) => declare(store, tenant, declaration),
    settlePending: (tenant, uid, status, at, idempotency) =>
      settlePendingCard(store, tenant, uid, { status, at }, idempotency),
    remove: (tenant, uid, at) => removeCard(store, tenant, uid, at),
    binding: (tenant, bindingId) => readBinding(store, tenant, bindingId),
    bindingsOf: (tenant, ownerUid) => bindingsOfOwner(store, tenant, ownerUid),
    bindingsFor: (tenant, verifierUid, subjectUid) => bindingsOfPair(store, tenant, verifierUid, subjectUid),
    listBindings: (tenant, filter, page) => listBindings(store, tenant, filter, page),
    async activate(tenant, ownerUid, at) {
      await updateIf(store.dynamo, {
        table: store.table,
        key: activationKey(tenant, ownerUid),
        set: 'activated_at = :at',
        condition: `${isFirst} OR ${isNewer}`,
        values: { ':at': at },
      });
    },
  };
}
