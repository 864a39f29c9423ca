import type { Connections, StoredConnection } from '#service/ports/connections.ts';
import { updateIf } from '../dynamo/conditional-write.ts';
import { getItem, rowsOf } from '../dynamo/reads.ts';
import { transact } from '../dynamo/transact.ts';
import { connectionKey, connectionNameKey, connectionPrefix, connectionsPartition } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { BackgroundStore } from './background-store.ts';

const isNew = 'attribute_not_exists(pk)';

/** Connections in DynamoDB, with one item that holds each name; their secrets are sealed before they come here. */
export function dynamoConnections({ dynamo, table }: BackgroundStore): Connections {
  const find = async (tenant: string, id: string) =>
    toConnection(await getItem(dynamo, table, connectionKey(tenant, id)));
  return {
    async create(tenant, connection) {
      const { connection_id, provider, name } = connection;
      const refused = await transact(dynamo, [
        {
          Put: {
            TableName: table,
            Item: { ...connectionKey(tenant, connection_id), ...documentOf(connection) },
            ConditionExpression: isNew,
          },
        },
        {
          Put: {
            TableName: table,
            Item: { ...connectionNameKey(tenant, provider, name), connection_id },
            ConditionExpression: isNew,
          },
        },
      ]);
      return refused.length === 0;
    },
    find,
    async byName(tenant, provider, name) {
      const held = await getItem(dynamo, table, connectionNameKey(tenant, provider, name));
      return held && find(tenant, String(held.connection_id));
    },
    async list(tenant) {
      const rows = await rowsOf(dynamo, table, connectionsPartition(tenant), connectionPrefix);
      const connections = rows.map((row) => JSON.parse(String(row.document)) as StoredConnection);
      const byName = connections.sort((left, right) =>
        `${left.name} ${left.provider}` < `${right.name} ${right.provider}` ? -1 : 1,
      );
      return byName.map(({ sealed: _sealed, ...shown }) => shown);
    },
    async replace(tenant, connection, before) {
      const { document, updated_at } = documentOf(connection);
      const { done } = await updateIf(dynamo, {
        table,
        key: connectionKey(tenant, connection.connection_id),
        set: '#document = :document, updated_at = :updated',
        names: { '#document': 'document' },
        condition: 'updated_at = :before',
        values: { ':document': document, ':updated': updated_at, ':before': before },
      });
      return done;
    },
  };
}

function documentOf(connection: StoredConnection) {
  return { document: JSON.stringify(connection), updated_at: connection.updated_at };
}

function toConnection(item: Item | null): StoredConnection | null {
  return item === null ? null : (JSON.parse(String(item.document)) as StoredConnection);
}
