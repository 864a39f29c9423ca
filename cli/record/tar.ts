import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { UsageError } from '../usage-error.ts';
import type { Bundle } from './gather-bundle.ts';

/** A tar file: regular files of mode 0644, nobody's, of one time, so that the same files give the same bytes. */
export async function toTar(files: Bundle): Promise<Uint8Array> {
  const archive = pack();
  for (const [name, content] of files) {
    archive.entry({ name, mode: 0o644, mtime: new Date(0) }, Buffer.from(content));
  }
  archive.finalize();
  return buffer(archive);
}

export interface Unpacked extends AsyncDisposable {
  readonly folder: string;
}

const mebibyte = 1_048_576;
const limits = { bytes: 1_088 * mebibyte, files: 10_000 };

/** Names that `record export` gives. Others, and so every way out of the folder, are not written. */
const bundleName =
  /^(?:(?:record|keys|result)\.json|README\.md|cards\/[\w.-]{1,120}|evidence\/(?:files\/)?[\w.-]{1,120})$/;

/** The files of a bundle in a folder of their own, which goes when it is disposed of. Throws a UsageError. */
export async function unpackTar(path: string, shown: string): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-bundle-'));
  const unpacked = { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  try {
    await writeEntries(path, shown, folder);
    return unpacked;
  } catch (error) {
    await unpacked[Symbol.asyncDispose]();
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown}: no tar file that can be read`, { cause: error });
  }
}

async function writeEntries(path: string, shown: string, folder: string): Promise<void> {
  const entries = extract();
  const reading = pipeline(createReadStream(path), entries);
  // The loop below ends with the same error; without this it would be unhandled for a moment.
  reading.catch(() => {});
  let files = 0;
  let bytes = 0;
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header;
    files += 1;
    bytes += size;
    if (files > limits.files || bytes > limits.bytes) throw new UsageError(`${shown}: holds more than a bundle may`);
    const wanted = type === 'file' && bundleName.test(name) && !name.includes('..');
    if (!wanted) {
      entry.resume();
      continue;
    }
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), entry, { flag: 'wx' });
  }
  await reading;
}
