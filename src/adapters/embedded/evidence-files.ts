import { createHash } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Evidence, Ids } from '#service/ports.ts';
import { makeFolder, publishFile } from './durable-files.ts';

const dayMs = 24 * 3_600_000;

/**
 * Evidence as files `<folder>/<tenant>/sha256/<ab>/<digest>`. Bytes are written under a temporary name, hashed on the
 * way, synced and renamed: a name that exists holds its whole content, whenever the process was killed.
 */
export async function evidenceFiles(folder: string, ids: Ids): Promise<Evidence> {
  const temporaryFolder = join(folder, 'incoming');
  // Leftovers of a killed process: nobody was told that they are stored.
  await rm(temporaryFolder, { recursive: true, force: true });
  await makeFolder(temporaryFolder);
  const pathOf = (tenant: string, sha256: string) => evidencePath(folder, tenant, sha256);

  return {
    async sizes(tenant, digests) {
      const found = await Promise.all(
        digests.map(async (sha256) => [sha256, await sizeOf(pathOf(tenant, sha256))] as const),
      );
      return new Map(found.filter((entry): entry is [string, number] => entry[1] !== null));
    },
    async read(tenant, sha256, signal) {
      try {
        return await readFile(pathOf(tenant, sha256), signal ? { signal } : {});
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async readPart(tenant, sha256, from, to) {
      try {
        await using file = await open(pathOf(tenant, sha256), 'r');
        const bytes = new Uint8Array(to - from);
        const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, from);
        return bytes.subarray(0, bytesRead);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async write(tenant, declared, bytes) {
      const path = pathOf(tenant, declared.sha256);
      const temporary = join(temporaryFolder, ids.next());
      try {
        const outcome = await receive(temporary, declared, bytes);
        if (outcome !== 'stored') return outcome;
        await makeFolder(join(path, '..'));
        await publishFile(temporary, path);
        return 'stored';
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}

export function evidencePath(folder: string, tenant: string, sha256: string): string {
  return join(folder, tenantFolder(tenant), 'sha256', digest(sha256).slice(0, 2), sha256);
}

async function receive(
  path: string,
  declared: { readonly sha256: string; readonly size_bytes: number },
  bytes: AsyncIterable<Uint8Array>,
): Promise<'stored' | 'size_mismatch' | 'sha256_mismatch'> {
  const hash = createHash('sha256');
  const handle = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.byteLength;
      // More than declared is never written: the sender cannot fill the disk.
      if (size > declared.size_bytes) return 'size_mismatch';
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    if (size !== declared.size_bytes) return 'size_mismatch';
    if (hash.digest('hex') !== declared.sha256) return 'sha256_mismatch';
    await handle.sync();
    return 'stored';
  } finally {
    await handle.close();
  }
}

/** Whoever asks for the size means to use it: the file's time is that of its last use, to the day. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    const now = Date.now();
    if (now - mtimeMs > dayMs) await utimes(path, now / 1_000, now / 1_000);
    return size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Part of a path: nothing that is not a slug may come near the file system. */
function tenantFolder(tenant: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(tenant) || tenant === 'incoming') throw new Error('not a tenant slug');
  return tenant;
}

function digest(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('not a SHA-256 digest');
  return sha256;
}
