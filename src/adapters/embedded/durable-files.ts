import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Makes a folder, and its entry in the folder above durable. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let folder = path; ; folder = dirname(folder)) {
    await syncFolder(dirname(folder));
    if (folder === first) return;
  }
}

/** Makes the names inside a folder durable: without it a renamed file may be gone after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Moves a whole, synced file to its name. After it resolves the name survives a power cut; before, nobody sees it. */
export async function publishFile(temporary: string, path: string): Promise<void> {
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Writes a small file so that readers see the old or the new content, never a part. */
export async function writeFileDurably(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${dirname(path)}/.${basename(path)}.${process.pid}.tmp`;
  const handle: FileHandle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await publishFile(temporary, path);
}
