import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Connections, StoredConnection } from '#service/ports/connections.ts';

function storedConnection(more: Partial<StoredConnection> = {}): StoredConnection {
  return {
    connection_id: v7(),
    name: 'desk-slack',
    provider: 'slack',
    workspace_id: 'T1',
    status: 'active',
    created_at: '2026-03-02T09:00:00.000Z',
    updated_at: '2026-03-02T09:00:00.000Z',
    sealed: 'sealed text',
    ...more,
  };
}

/** What every store of connections keeps (docs/spec/background.md §8). */
export function testConnections(name: string, make: () => Promise<Connections>): void {
  describe(`Connections: ${name}`, () => {
    it('gives back what was stored, by id and by name, to its tenant alone', async () => {
      const connections = await make();
      const stored = storedConnection({ auth: { scheme: 'header', name: 'X-Key' }, origin: 'https://a.example.com' });
      expect(await connections.create('acme', stored)).toBe(true);
      const { connection_id } = stored;
      expect(await connections.find('acme', connection_id)).toEqual(stored);
      expect(await connections.byName('acme', 'slack', 'desk-slack')).toEqual(stored);
      expect(await connections.find('other', connection_id)).toBeNull();
      expect(await connections.byName('other', 'slack', 'desk-slack')).toBeNull();
      expect(await connections.byName('acme', 'http', 'desk-slack')).toBeNull();
      expect(await connections.find('acme', v7())).toBeNull();
      expect(await connections.list('other')).toEqual([]);
    });

    it('lists by name, without what is sealed', async () => {
      const connections = await make();
      for (const more of [{ name: 'zeta' }, { name: 'alpha', provider: 'http' }, { name: 'mid' }] as const)
        await connections.create('acme', storedConnection(more));
      const listed = await connections.list('acme');
      expect(listed.map((connection) => connection.name)).toEqual(['alpha', 'mid', 'zeta']);
      expect(JSON.stringify(listed)).not.toContain('sealed');
    });

    it('lets one of many writers of a name win, a provider and a tenant', async () => {
      const connections = await make();
      const created = await Promise.all(
        Array.from({ length: 5 }, () => connections.create('acme', storedConnection())),
      );
      expect(created.filter(Boolean)).toHaveLength(1);
      expect(await connections.create('acme', storedConnection({ provider: 'http' }))).toBe(true);
      expect(await connections.create('other', storedConnection())).toBe(true);
      expect(await connections.list('acme')).toHaveLength(2);
    });

    it('replaces what has not changed since it was read', async () => {
      const connections = await make();
      const stored = storedConnection();
      await connections.create('acme', stored);
      const next = (second: number) => ({
        ...stored,
        sealed: `${second}`,
        updated_at: `2026-03-02T09:00:0${second}.000Z`,
      });
      const replaced = await Promise.all([1, 2, 3].map((n) => connections.replace('acme', next(n), stored.updated_at)));
      expect(replaced.filter(Boolean)).toHaveLength(1);
      const kept = next(replaced.indexOf(true) + 1);
      expect(await connections.find('acme', stored.connection_id)).toEqual(kept);
      expect(await connections.replace('other', next(5), kept.updated_at)).toBe(false);
      expect(await connections.replace('acme', storedConnection(), stored.updated_at)).toBe(false);
    });
  });
}
