import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '#service/ports.ts';

async function* chunks(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield new TextEncoder().encode(part);
}

const declare = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  size_bytes: new TextEncoder().encode(text).length,
});

/** What every Evidence store keeps (docs/spec/wire.md §5). */
export function testEvidence(name: string, make: () => Promise<Evidence>): void {
  describe(`Evidence: ${name}`, () => {
    it('gives back the bytes that were written, to their tenant alone', async () => {
      const evidence = await make();
      const declared = declare('hello world');
      expect(await evidence.write('acme', declared, chunks('hello ', 'world'))).toBe('stored');
      expect(new TextDecoder().decode((await evidence.read('acme', declared.sha256)) ?? undefined)).toBe('hello world');
      expect(await evidence.read('other', declared.sha256)).toBeNull();
      expect([...(await evidence.sizes('acme', [declared.sha256]))]).toEqual([[declared.sha256, 11]]);
      expect((await evidence.sizes('other', [declared.sha256])).size).toBe(0);
    });

    it('takes the same bytes again, also at the same time', async () => {
      const evidence = await make();
      const declared = declare('twice');
      const writes = Array.from({ length: 5 }, () => evidence.write('acme', declared, chunks('twice')));
      expect(await Promise.all(writes)).toEqual(Array(5).fill('stored'));
    });

    it.each([
      ['too long', ['hello', 'world!'], 'size_mismatch'],
      ['too short', ['hell'], 'size_mismatch'],
      ['other bytes of the same length', ['jello'], 'sha256_mismatch'],
    ])('keeps nothing of bytes that are %s', async (_case, parts, outcome) => {
      const evidence = await make();
      const declared = declare('hello');
      expect(await evidence.write('acme', declared, chunks(...parts))).toBe(outcome);
      expect(await evidence.read('acme', declared.sha256)).toBeNull();
      expect((await evidence.sizes('acme', [declared.sha256])).size).toBe(0);
    });

    it('keeps nothing when the sender breaks off', async () => {
      const evidence = await make();
      const declared = declare('hello');
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield new TextEncoder().encode('he');
        throw new Error('connection lost');
      }
      await expect(evidence.write('acme', declared, broken())).rejects.toThrow('connection lost');
      expect(await evidence.read('acme', declared.sha256)).toBeNull();
    });

    it('stores the empty file', async () => {
      const evidence = await make();
      expect(await evidence.write('acme', declare(''), chunks())).toBe('stored');
      expect(await evidence.read('acme', declare('').sha256)).toHaveLength(0);
    });

    it.each(['../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63)])('refuses the digest %s', async (sha256) => {
      const evidence = await make();
      await expect(evidence.read('acme', sha256)).rejects.toThrow();
    });
  });
}
