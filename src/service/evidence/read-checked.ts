import { createHash } from 'node:crypto';
import type { Evidence } from '../ports.ts';

/**
 * Bytes under a digest, checked against it: a store that was tampered with gives `mismatch`, never other bytes
 * (docs/spec/wire.md §5.6). Null when they are not there; throws when the store fails.
 */
export async function readChecked(
  evidence: Evidence,
  tenant: string,
  sha256: string,
  signal?: AbortSignal,
): Promise<Uint8Array | 'mismatch' | null> {
  const bytes = await evidence.read(tenant, sha256, signal);
  if (bytes === null) return null;
  return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : 'mismatch';
}
