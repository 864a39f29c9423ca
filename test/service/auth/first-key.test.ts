import { describe, expect, it } from 'vitest';
import { parseApiKey, sha256Hex, tenantHex } from '#service/auth/api-key.ts';
import { ensureFirstKey } from '#service/auth/first-key.ts';
import type { ApiKey, ApiKeys } from '#service/ports/keys.ts';

/** Keys in memory, and a text whose write may be the last thing that happens. */
function deployment() {
  const stored = new Map<string, ApiKey>();
  let text = 'generated-text';
  let dies = false;
  const keys: ApiKeys = {
    any: async () => stored.size > 0,
    find: async (id) => stored.get(id) ?? null,
    list: async () => [...stored.values()],
    create: async (key) => {
      if (dies) throw new Error('the function died');
      stored.set(key.key_id, key);
    },
    revoke: async () => false,
  };
  const ports = {
    keys,
    clock: { now: () => 0, sleep: async () => {} },
    text: {
      read: async () => text,
      write: async (written: string) => {
        text = written;
      },
    },
  };
  return {
    stored,
    text: () => text,
    dying: (value: boolean) => {
      dies = value;
    },
    ensure: () => ensureFirstKey(ports, 'main'),
  };
}

describe('first key of a deployment', () => {
  it('is an administrator, kept as a digest of the text that its owner reads', async () => {
    const { stored, text, ensure } = deployment();
    const { key_id } = await ensure();
    expect(parseApiKey(text())).toEqual({ tenant_hex: tenantHex('main'), key_id });
    expect(stored.get(key_id)).toMatchObject({ role: 'admin', tenant: 'main', sha256: sha256Hex(text()) });
    expect(JSON.stringify([...stored.values()])).not.toContain(text());
  });

  it('is made once', async () => {
    const { stored, text, ensure } = deployment();
    await ensure();
    const first = text();
    await ensure();
    expect([stored.size, text()]).toEqual([1, first]);
  });

  it('is finished when it was begun', async () => {
    const made = deployment();
    made.dying(true);
    await expect(made.ensure()).rejects.toThrow();
    const begun = made.text();
    made.dying(false);
    const { key_id } = await made.ensure();
    expect([made.text(), made.stored.get(key_id)?.sha256]).toEqual([begun, sha256Hex(begun)]);
  });
});
