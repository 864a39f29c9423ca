import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Json, JsonObject } from '#contract/json.ts';
import { canonical, compareBytes } from '#engine/values/canonical.ts';
import type { ManifestEntry } from '../ports/registry.ts';

/** Hex BLAKE3 of RFC 8785 JSON (docs/spec/wire.md §4.3). */
function hashOf(value: Json): string {
  return bytesToHex(blake3(utf8ToBytes(canonical(value))));
}

/** Of a resolved spec, its references without `space`, so that both dialects know one content. */
export function specHash(spec: JsonObject): string {
  return hashOf(spec);
}

/** Of a manifest in path order; null for an empty one. */
export function artifactHash(manifest: readonly ManifestEntry[]): string | null {
  if (manifest.length === 0) return null;
  const sorted = [...manifest].sort((left, right) => compareBytes(left.relative_path, right.relative_path));
  return hashOf(
    sorted.map(({ relative_path, sha256, size_bytes, content_type }) => ({
      relative_path,
      sha256,
      size_bytes,
      content_type,
    })),
  );
}
