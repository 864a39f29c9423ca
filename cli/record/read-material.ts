import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseJson } from '#engine/values/parse-json.ts';
import type { EvidenceFile, RecordCheck } from '#sdk/record.ts';
import { readBytes, readFailures } from '../load/read-text.ts';
import { UsageError } from '../usage-error.ts';

export interface MaterialOptions {
  readonly keys?: string;
  readonly result?: string;
  readonly evidence?: string;
  readonly cards?: string;
  readonly checkpoint?: string;
}

const mebibyte = 1_048_576;
/** Files above these are refused before anything of them is parsed. */
const limits = { text: 32 * mebibyte, evidence: 100 * mebibyte, allEvidence: 1_024 * mebibyte, files: 10_000 };

/** Everything that the options name, as the check takes it. Throws a UsageError for what cannot be read. */
export async function readMaterial(file: string, options: MaterialOptions, folder: string): Promise<RecordCheck> {
  const at = (path: string) => resolve(folder, path);
  const text = (path: string | undefined) => (path === undefined ? undefined : readWhole(at(path), path));
  const [record, keys, result, checkpoint, evidence, cards] = await Promise.all([
    readWhole(at(file), file),
    options.keys === undefined ? undefined : readKeys(at(options.keys), options.keys),
    text(options.result),
    text(options.checkpoint),
    options.evidence === undefined ? undefined : readEvidence(at(options.evidence), options.evidence),
    options.cards === undefined ? undefined : readCards(at(options.cards), options.cards),
  ]);
  return { record, keys, result, checkpoint, evidence, cards };
}

/** Bytes that are no text become characters that are no JSON: the check says so, not the reader. */
async function readWhole(path: string, shown: string): Promise<string> {
  return new TextDecoder().decode(await readOrRefuse(path, shown, limits.text));
}

async function readOrRefuse(path: string, shown: string, limit: number): Promise<Uint8Array> {
  const read = await readBytes(path, limit);
  if (!read.ok) throw new UsageError(`${shown}: ${readFailures[read.reason]}`);
  return read.bytes;
}

async function readKeys(path: string, shown: string): Promise<unknown> {
  const reading = parseJson(await readWhole(path, shown), { maxDepth: 16 });
  if (!reading.ok) throw new UsageError(`${shown}: ${reading.message}`);
  return reading.value;
}

async function readEvidence(path: string, shown: string): Promise<readonly EvidenceFile[]> {
  const files: EvidenceFile[] = [];
  let size = 0;
  for (const name of await filesBelow(path, shown)) {
    const bytes = await readOrRefuse(join(path, name), join(shown, name), limits.evidence);
    size += bytes.byteLength;
    if (size > limits.allEvidence) throw new UsageError(`${shown}: holds more than 1 GiB`);
    files.push({ name: name.split('/').at(-1) ?? name, bytes });
  }
  return files;
}

async function readCards(path: string, shown: string): Promise<readonly string[]> {
  const names = (await filesBelow(path, shown)).filter((name) => name.endsWith('.json'));
  return Promise.all(names.map((name) => readWhole(join(path, name), join(shown, name))));
}

/** Regular files of a folder and the folders in it, in byte order; links are not followed. */
async function filesBelow(path: string, shown: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new UsageError(`${shown}: there is no such folder`, { cause });
  });
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > limits.files) throw new UsageError(`${shown}: holds more than ${limits.files} files`);
  return files.map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll('\\', '/')).sort();
}
