import { join, resolve } from 'node:path';
import { makeFolder } from '#adapters/embedded/durable-files.ts';
import { openRootKeys, rotateRootKeys } from '#adapters/embedded/signing-keys.ts';
import { systemClock } from '#adapters/embedded/system.ts';

/**
 * A new root key for the signatures of a data folder, from a minute from now on (docs/spec/records.md §3). A host may have
 * the folder open. Answers the id of the key and when it begins.
 */
export async function rotateSigningKeys(data: string): Promise<{ readonly kid: string; readonly valid_from: string }> {
  await makeFolder(resolve(data));
  const path = join(resolve(data), 'signing-keys.json');
  await openRootKeys(path, systemClock.now());
  const { kid, valid_from } = await rotateRootKeys(path, systemClock.now());
  return { kid, valid_from };
}
