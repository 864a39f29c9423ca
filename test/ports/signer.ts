import { describe, expect, it } from 'vitest';
import { delegationSchema, payloadTypes } from '#contract/record.ts';
import { keyIdOf, verifySignature } from '#engine/record/dsse.ts';
import { preAuthenticationEncoding } from '#engine/record/pre-authentication-encoding.ts';
import type { Signatures, Signer } from '#service/ports/signer.ts';

const payload = Buffer.from('{"a":1}');

/** Signatures that a checker accepts from outside (docs/spec/records.md §1, §3). */
export function testSigner(name: string, make: () => Promise<Signer>): void {
  describe(`Signer: ${name}`, () => {
    const holds = (
      key: Parameters<typeof verifySignature>[0],
      type: string,
      bytes: Uint8Array,
      { signatures }: Signatures,
    ) =>
      signatures.some(({ keyid, sig }) => {
        const isItsKey = keyid === keyIdOf(key);
        return isItsKey && verifySignature(key, preAuthenticationEncoding(type, bytes), Buffer.from(sig, 'base64'));
      });
    const rootOf = async (signer: Signer, signed: Signatures) => {
      const { keys } = await signer.rootKeys();
      const ids = signed.signatures.map(({ keyid }) => keyid);
      const found = keys.find(({ kid }) => ids.includes(kid));
      if (found === undefined) throw new Error('no root of that id is published');
      return found;
    };

    it('publishes the ids, algorithms and windows of its root keys', async () => {
      const { keys } = await (await make()).rootKeys();
      expect(keys.length).toBeGreaterThan(0);
      for (const key of keys) {
        expect(keyIdOf(key)).toBe(key.kid);
        expect(key.alg).toBe(key.kty === 'OKP' ? 'EdDSA' : 'ES256');
        expect(Date.parse(key.valid_from)).toBeLessThanOrEqual(Date.now());
        expect(key).not.toHaveProperty('d');
      }
    });

    it('signs checkpoints with a root whose window covers them', async () => {
      const signer = await make();
      const signed = await signer.signAsRoot(payloadTypes.checkpoint, payload, Date.now());
      const root = await rootOf(signer, signed);
      expect(signed.delegation).toBeUndefined();
      expect(holds(root, payloadTypes.checkpoint, payload, signed)).toBe(true);
      expect(holds(root, payloadTypes.statement, payload, signed)).toBe(false);
      expect(holds(root, payloadTypes.checkpoint, Buffer.from('{"a":2}'), signed)).toBe(false);
    });

    it('signs records with a root, or with a key that a root delegated to for an hour at most', async () => {
      const signer = await make();
      const at = Date.now();
      const signed = await signer.sign(payloadTypes.statement, payload, at);
      if (signed.delegation === undefined) {
        expect(holds(await rootOf(signer, signed), payloadTypes.statement, payload, signed)).toBe(true);
        return;
      }
      const said = Buffer.from(signed.delegation.payload, 'base64');
      const delegation = delegationSchema.parse(JSON.parse(said.toString('utf8')));
      const root = await rootOf(signer, signed.delegation);
      expect(holds(root, payloadTypes.delegation, said, signed.delegation)).toBe(true);
      expect(holds(delegation.key, payloadTypes.statement, payload, signed)).toBe(true);
      expect(delegation.tenant_scope).toBe('*');
      const [from, until] = [Date.parse(delegation.valid_from), Date.parse(delegation.valid_until)];
      expect(until - from).toBeLessThanOrEqual(3_600_000);
      expect(from).toBeLessThanOrEqual(at);
      expect(until).toBeGreaterThan(at);
      expect(from).toBeGreaterThanOrEqual(Date.parse(root.valid_from));
    });

    it('refuses a time that no key of it covers', async () => {
      const signer = await make();
      await expect(signer.sign(payloadTypes.statement, payload, Date.parse('2001-01-01T00:00:00Z'))).rejects.toThrow();
    });
  });
}
