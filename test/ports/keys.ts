import { describe, expect, it } from 'vitest';
import type { ApiKey, ApiKeys } from '#service/ports/keys.ts';

function apiKey(more: Partial<ApiKey> = {}): ApiKey {
  return {
    key_id: '0123abcd',
    tenant: 'acme',
    name: 'ci',
    role: 'editor',
    verifier_uids: null,
    card_uid: null,
    sha256: 'a'.repeat(64),
    created_at: '2026-03-02T09:00:00.000Z',
    revoked_at: null,
    ...more,
  };
}

/** What every key store keeps (docs/spec/wire.md §2.3). */
export function testApiKeys(name: string, make: () => Promise<ApiKeys>): void {
  describe(`ApiKeys: ${name}`, () => {
    it('finds a key by its id and lists those of one tenant, newest first', async () => {
      const keys = await make();
      expect(await keys.any()).toBe(false);
      const later = apiKey({ key_id: '00000002', created_at: '2026-03-02T10:00:00.000Z' });
      await keys.create(apiKey());
      await keys.create(later);
      await keys.create(apiKey({ key_id: '00000003', tenant: 'other' }));
      expect(await keys.any()).toBe(true);
      expect(await keys.find('0123abcd')).toEqual(apiKey());
      expect(await keys.find('ffffffff')).toBeNull();
      expect((await keys.list('acme')).map((key) => key.key_id)).toEqual(['00000002', '0123abcd']);
    });

    it('revokes once, for its own tenant only, and never forgets that there was a key', async () => {
      const keys = await make();
      await keys.create(apiKey());
      expect(await keys.revoke('other', '0123abcd', 'now')).toBe(false);
      expect(await keys.revoke('acme', '0123abcd', '2026-03-03T00:00:00.000Z')).toBe(true);
      expect(await keys.revoke('acme', '0123abcd', 'later')).toBe(false);
      expect((await keys.find('0123abcd'))?.revoked_at).toBe('2026-03-03T00:00:00.000Z');
      expect(await keys.any()).toBe(true);
    });
  });
}
