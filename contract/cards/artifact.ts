import { z } from 'zod';
import { isRelativePath, sha256Base64Pattern } from '../ids.ts';
import { descriptionSchema } from './shared.ts';

/** Fixed files. Open: the files are its manifest, the spec only describes them. */
export const artifactSchema = z
  .looseObject({
    description: descriptionSchema,
    artifact_kind: z.string().min(1).max(64).optional(),
    content_type: z.string().min(1).max(256).nullish(),
  })
  .meta({ id: 'Artifact' });

/** The most that one copy in an object store takes (docs/decisions/large-artifacts.md). */
const maxFileBytes = 5 * 1_024 ** 3;

/** One file of a manifest (docs/spec/wire.md §4.3, §4.5). `sha256` is base64. */
export const manifestEntrySchema = z.strictObject({
  relative_path: z.string().refine(isRelativePath, { error: 'not a clean relative path' }),
  sha256: z.string().regex(sha256Base64Pattern),
  size_bytes: z.int().min(0).max(maxFileBytes),
  content_type: z.string().max(256).nullish(),
});
