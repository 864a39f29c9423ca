import type { Connection, Connections, StoredConnection } from '#service/ports/connections.ts';
import { type Database, isUniqueViolation } from './database.ts';

/** Connections in SQLite; their secrets are sealed before they come here. */
export function sqliteConnections(database: Database): Connections {
  return {
    async create(tenant, connection) {
      try {
        await database.write(() => {
          database
            .prepare('INSERT INTO connections (tenant, connection_id, provider, name, document) VALUES (?, ?, ?, ?, ?)')
            .run(tenant, connection.connection_id, connection.provider, connection.name, JSON.stringify(connection));
        });
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
    async find(tenant, connectionId) {
      return toConnection(
        database
          .prepare('SELECT document FROM connections WHERE tenant = ? AND connection_id = ?')
          .get(tenant, connectionId),
      );
    },
    async byName(tenant, provider, name) {
      return toConnection(
        database
          .prepare('SELECT document FROM connections WHERE tenant = ? AND provider = ? AND name = ?')
          .get(tenant, provider, name),
      );
    },
    async list(tenant) {
      return database
        .prepare('SELECT document FROM connections WHERE tenant = ? ORDER BY name, provider')
        .all(tenant)
        .map((row): Connection => {
          const { sealed: _sealed, ...shown } = JSON.parse(String(row.document)) as StoredConnection;
          return shown;
        });
    },
    replace(tenant, connection, before) {
      return database.write(() => {
        const replaced = database
          .prepare(
            `UPDATE connections SET document = ?
             WHERE tenant = ? AND connection_id = ? AND json_extract(document, '$.updated_at') = ?`,
          )
          .run(JSON.stringify(connection), tenant, connection.connection_id, before);
        return replaced.changes > 0;
      });
    },
  };
}

function toConnection(row: Record<string, unknown> | undefined): StoredConnection | null {
  return row ? (JSON.parse(String(row.document)) as StoredConnection) : null;
}
