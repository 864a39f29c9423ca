import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { SecretBox } from '#service/ports/connections.ts';

/** What every box of secrets holds to (docs/spec/background.md §8.2). */
export function testSecretBox(name: string, make: () => Promise<SecretBox>): void {
  describe(`SecretBox: ${name}`, () => {
    const place = { tenant: 'acme', connection_id: v7() };

    it.each(['{"kind":"token","token":"xoxb-1"}', 'é 😀 \0', 'x'.repeat(4_096)])(
      'opens what it sealed (%#)',
      async (secret) => {
        const box = await make();
        const sealed = await box.seal(place, secret);
        expect(sealed).not.toContain(secret.slice(0, 8));
        expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain(secret.slice(0, 8));
        expect(await box.open(place, sealed)).toBe(secret);
      },
    );

    it('seals one secret differently each time', async () => {
      const box = await make();
      expect(await box.seal(place, 'secret')).not.toBe(await box.seal(place, 'secret'));
    });

    it('opens nothing in another place, and nothing that was changed', async () => {
      const box = await make();
      const sealed = await box.seal(place, 'secret');
      expect(await box.open({ ...place, tenant: 'other' }, sealed)).toBeNull();
      expect(await box.open({ ...place, connection_id: v7() }, sealed)).toBeNull();
      const middle = Math.floor(sealed.length / 2);
      const changed = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1);
      expect(await box.open(place, changed)).toBeNull();
      expect(await box.open(place, 'AAAA')).toBeNull();
    });
  });
}
