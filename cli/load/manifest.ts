import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { isJsonObject } from '#contract/cards/shared.ts';
import { mimeTypes, toMediaFormat } from '#contract/formats.ts';
import { isRelativePath } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { isInside } from './find-card-files.ts';
import { readBytes, readFailures } from './read-text.ts';

/** docs/spec/wire.md §5.2. */
export const maxArtifactBytes = 104_857_600;

export interface FilledManifest {
  readonly artifacts: readonly Json[];
  /** `relative_path` → the file on this machine. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * An author writes `artifacts: [{relative_path: policy.md}]`; digest, size and type are those of the file beside the Card
 * (docs/spec/wire.md §4.3, §4.5). What is written already is kept. `report` is told what is wrong with the nth entry.
 */
export async function fillManifest(
  cardFile: string,
  root: string,
  entries: readonly Json[],
  report: (index: number, message: string) => void,
): Promise<FilledManifest> {
  const files = new Map<string, string>();
  const artifacts: Json[] = [];
  for (const [index, entry] of entries.entries()) {
    const path = isJsonObject(entry) ? entry.relative_path : undefined;
    if (!isJsonObject(entry) || typeof path !== 'string' || !isRelativePath(path)) {
      // Not for us to judge: the envelope's shape says what is wrong.
      artifacts.push(entry);
      continue;
    }
    const file = await describeFile(resolve(dirname(cardFile), path), root);
    if (typeof file === 'string') {
      report(index, `${path}: ${file}`);
      continue;
    }
    files.set(path, file.real);
    artifacts.push({ ...file.described, ...entry });
  }
  return { artifacts, files };
}

async function describeFile(
  path: string,
  root: string,
): Promise<string | { readonly real: string; readonly described: JsonObject }> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return readFailures.missing;
  if (!isInside(real, root)) return 'lies outside the folder that is loaded';
  const read = await readBytes(real, maxArtifactBytes);
  if (!read.ok) return readFailures[read.reason];
  const format = toMediaFormat(extname(real).slice(1));
  const described = {
    sha256: createHash('sha256').update(read.bytes).digest('base64'),
    size_bytes: read.bytes.byteLength,
    ...(format !== undefined && { content_type: mimeTypes[format] }),
  };
  return { real, described };
}
