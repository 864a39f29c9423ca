import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { WindowPieces } from '#service/ports/large-windows.ts';

export function testWindowPieces(name: string, make: () => Promise<WindowPieces>): void {
  describe(`pieces of windows: ${name}`, () => {
    const placeOf = () => ({ tenant: 'main', execution_id: randomUUID(), attempt: 1, work_id: 'check:ä/../psi' });
    const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('utf8');

    it('keeps bytes by place and name, and reads parts of them', async () => {
      const pieces = await make();
      const place = placeOf();
      expect(await pieces.read(place, 'plan')).toBeNull();
      await pieces.put(place, 'plan', Buffer.from('0123456789'));
      expect(text(await pieces.read(place, 'plan'))).toBe('0123456789');
      expect(text(await pieces.read(place, 'plan', { from: 2, to: 5 }))).toBe('234');
      expect(text(await pieces.read(place, 'plan', { from: 8, to: 100 }))).toBe('89');
      expect(text(await pieces.read(place, 'plan', { from: 10, to: 20 }))).toBe('');
      expect(text(await pieces.read(place, 'plan', { from: 3, to: 3 }))).toBe('');
      expect(await pieces.read(place, 'other', { from: 0, to: 5 })).toBeNull();
    });

    it('keeps a piece that is written twice, and one of no bytes', async () => {
      const pieces = await make();
      const place = placeOf();
      await pieces.put(place, 'a', Buffer.from('same'));
      await pieces.put(place, 'a', Buffer.from('same'));
      await pieces.put(place, 'empty', Buffer.alloc(0));
      expect(text(await pieces.read(place, 'a'))).toBe('same');
      expect(text(await pieces.read(place, 'empty', { from: 0, to: 10 }))).toBe('');
      expect(await pieces.names(place)).toEqual(new Set(['a', 'empty']));
    });

    it('keeps tenants, executions, attempts and checks apart', async () => {
      const pieces = await make();
      const place = placeOf();
      await pieces.put(place, 'plan', Buffer.from('mine'));
      const others = [
        { ...place, tenant: 'other' },
        { ...place, execution_id: randomUUID() },
        { ...place, attempt: 11 },
        { ...place, work_id: 'check:ä' },
      ];
      for (const other of others) {
        expect(await pieces.read(other, 'plan')).toBeNull();
        expect(await pieces.names(other)).toEqual(new Set());
      }
    });
  });
}
