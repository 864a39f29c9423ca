import type { Json } from '#contract/json.ts';
import { digestOf } from '../run/capture.ts';
import { sha256Hex } from '../values/canonical.ts';
import { parseJson } from '../values/parse-json.ts';
import { decodeUtf8 } from './read-text.ts';

/** One file that an auditor holds. */
export interface EvidenceFile {
  /** `letter.md`: a file whose name up to the first dot is a slot is taken to be that slot's evidence. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Held evidence by what it is, never by what it is called. */
export interface HeldEvidence {
  bytes(sha256: string): Uint8Array | null;
  /** The JSON value with this digest over its RFC 8785 bytes: a `json` input or an assembled trace. */
  json(sha256: string): Json | undefined;
  /** Digests, over bytes and over JSON, of the file that is named after a slot; null when there is none. */
  named(slot: string): readonly string[] | null;
}

/** No JSON input is larger than a request, no trace larger than this. */
const maxJsonBytes = 32 * 1024 * 1024;

export function holdEvidence(files: readonly EvidenceFile[]): HeldEvidence {
  const byBytes = new Map<string, Uint8Array>();
  const byJson = new Map<string, Json>();
  const named = new Map<string, string[]>();
  for (const { name, bytes } of files) {
    const digests = [sha256Hex(bytes)];
    byBytes.set(digests[0] ?? '', bytes);
    const value = jsonOf(bytes);
    if (value !== undefined) {
      digests.push(digestOf(value));
      byJson.set(digests[1] ?? '', value);
    }
    const stem = name.slice(0, name.indexOf('.') < 0 ? name.length : name.indexOf('.'));
    named.set(stem, [...(named.get(stem) ?? []), ...digests]);
  }
  return {
    bytes: (sha256) => byBytes.get(sha256) ?? null,
    json: (sha256) => byJson.get(sha256),
    named: (slot) => named.get(slot) ?? null,
  };
}

/** Evidence is JSON under the rules of docs/spec/verification.md §3.3; other files are just bytes. */
function jsonOf(bytes: Uint8Array): Json | undefined {
  if (bytes.length > maxJsonBytes || !startsLikeJson(bytes)) return undefined;
  const text = decodeUtf8(bytes);
  const reading = text === null ? null : parseJson(text, { maxDepth: 128 });
  return reading?.ok === true ? reading.value : undefined;
}

/** A look at the first byte that is no white space spares decoding pictures and documents. */
function startsLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
  return first !== undefined && '{["-0123456789tfn'.includes(String.fromCharCode(first));
}
