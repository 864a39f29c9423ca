import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The parts of `wyrd_sk_<32 hex tenant>_<8 hex key id>_<32+ hex secret>` (docs/spec/wire.md §2.3). */
export interface ApiKeyText {
  readonly tenant_hex: string;
  readonly key_id: string;
}

const keyPattern = /^wyrd_sk_([0-9a-f]{32})_([0-9a-f]{8})_[0-9a-f]{32,128}$/;

export function parseApiKey(text: string): ApiKeyText | null {
  const [, tenantHex, keyId] = keyPattern.exec(text.length > 200 ? '' : text) ?? [];
  return tenantHex === undefined || keyId === undefined ? null : { tenant_hex: tenantHex, key_id: keyId };
}

/** A new key. Its text is shown once and never stored. */
export function makeApiKey(tenant: string): { readonly text: string; readonly key_id: string } {
  const keyId = randomBytes(4).toString('hex');
  return { text: `wyrd_sk_${tenantHex(tenant)}_${keyId}_${randomBytes(32).toString('hex')}`, key_id: keyId };
}

/** The fixed 32 hex digits that stand for a tenant inside its keys. */
export function tenantHex(tenant: string): string {
  return sha256Hex(`touchstone tenant ${tenant}`).slice(0, 32);
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares two hex digests in a time that does not depend on where they differ. */
export function sameDigest(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, 'hex'), Buffer.from(right, 'hex')];
  return a.length === b.length && timingSafeEqual(a, b);
}
