import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { registryArtifacts } from '#service/cards/registry-artifacts.ts';
import { readChecked } from '#service/evidence/read-checked.ts';
import type { Registry, StoredCard } from '#service/ports/registry.ts';
import type { Evidence } from '#service/ports.ts';

const bytes = new TextEncoder().encode('def check(): ...');
const digest = createHash('sha256').update(bytes).digest();
const storeOf = (held: Uint8Array | null) => ({ read: async () => held }) as Pick<Evidence, 'read'> as Evidence;
const artifact = {
  kind: 'Artifact',
  name: 'code',
  version: '1.0.0',
  uid: '01970000-0000-7000-8000-000000000000',
} as const;
const card = {
  ...artifact,
  status: 'active',
  manifest: [
    { relative_path: 'check.py', sha256: digest.toString('base64'), size_bytes: bytes.length, content_type: null },
  ],
} as Partial<StoredCard> as StoredCard;
const registry = { byUid: async () => card } as Pick<Registry, 'byUid'> as Registry;

it.each([
  ['the declared bytes', bytes, bytes, bytes],
  ['other bytes', new TextEncoder().encode('def check(): return True'), 'mismatch', null],
  ['nothing', null, null, null],
] as const)('a store that gives %s', async (_, held, checked, file) => {
  expect(await readChecked(storeOf(held), 't', digest.toString('hex'))).toEqual(checked);
  const found = await registryArtifacts(registry, storeOf(held)).file(
    't',
    artifact,
    'check.py',
    AbortSignal.timeout(1000),
  );
  expect(found).toEqual(file);
});
