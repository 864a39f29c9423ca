import type { ApiKeys } from '../ports/keys.ts';
import type { Clock } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { makeApiKey, parseApiKey, sha256Hex } from './api-key.ts';

/** Where the text of the first key is kept for its owner; the store holds its digest only. */
export interface KeyText {
  read(): Promise<string>;
  write(text: string): Promise<void>;
}

/**
 * Makes the first administrator key of a new deployment (docs/spec/wire.md §2.3). Its text is written before its digest,
 * so that whatever stops between the two is finished by the next call, and a key that exists is never made again.
 */
export async function ensureFirstKey(
  ports: { readonly keys: ApiKeys; readonly clock: Clock; readonly text: KeyText },
  tenant: string,
): Promise<{ readonly key_id: string }> {
  const kept = await ports.text.read();
  const known = parseApiKey(kept);
  const made = known ? { text: kept, key_id: known.key_id } : makeApiKey(tenant);
  if (!known) await ports.text.write(made.text);
  if ((await ports.keys.find(made.key_id)) === null) {
    await ports.keys.create({
      key_id: made.key_id,
      tenant,
      name: 'first administrator',
      role: 'admin',
      verifier_uids: null,
      card_uid: null,
      sha256: sha256Hex(made.text),
      created_at: toRfc3339(ports.clock.now()),
      revoked_at: null,
    });
  }
  return { key_id: made.key_id };
}
