import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export type TextRead =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'missing' | 'not_a_file' | 'too_large' | 'not_text' | 'unreadable' };

/** Reads a UTF-8 text of at most `maxBytes`. A pipe or device is refused: it may never end. */
export async function readText(path: string, maxBytes: number): Promise<TextRead> {
  const read = await readBytes(path, maxBytes);
  if (!read.ok) return read;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
    return text.includes('\0') ? { ok: false, reason: 'not_text' } : { ok: true, text };
  } catch {
    return { ok: false, reason: 'not_text' };
  }
}

/** Without the second, opening a pipe would wait for a writer that may never come. Windows knows no such flag. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export type BytesRead =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly reason: 'missing' | 'not_a_file' | 'too_large' | 'unreadable' };

/** Reads at most `maxBytes` of a regular file; the size is that of the open file, so it cannot grow in between. */
export async function readBytes(path: string, maxBytes: number): Promise<BytesRead> {
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path, openFlags);
    const stat = await handle.stat();
    if (!stat.isFile()) return { ok: false, reason: 'not_a_file' };
    if (stat.size > maxBytes) return { ok: false, reason: 'too_large' };
    const bytes = new Uint8Array(stat.size);
    const { bytesRead } = await handle.read(bytes, 0, stat.size, 0);
    return { ok: true, bytes: bytes.slice(0, bytesRead) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  } finally {
    await handle?.close();
  }
}

function reasonOf(error: unknown): 'missing' | 'not_a_file' | 'unreadable' {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  return code === 'EISDIR' ? 'not_a_file' : 'unreadable';
}

export const readFailures = {
  missing: 'there is no such file',
  not_a_file: 'not a regular file',
  too_large: 'the file is too large',
  not_text: 'the file is not UTF-8 text',
  unreadable: 'the file cannot be read',
} as const;
