import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#contract/json.ts';
import { isObject } from '#engine/values/kind.ts';
import { documentFixture } from './documents/fixtures.ts';

/** What one slot of a case sends: a wire input, or JSON text to be sent exactly so; and the bytes behind it. */
export interface GivenInput {
  readonly slot: string;
  readonly input: JsonObject;
  /** The value's text as the case wrote it. */
  readonly raw?: string;
  readonly file?: { readonly sha256: string; readonly size_bytes: number; readonly stored: Uint8Array | null };
  readonly trace?: GivenTrace;
}

export interface GivenTrace {
  readonly trace_id: string;
  readonly spans: readonly JsonObject[];
  readonly state?: 'landed' | 'not_landed' | 'not_found' | 'failed' | 'timeout';
}

export function givenInputs(evidence: JsonObject): readonly GivenInput[] {
  return Object.entries(evidence).map(([slot, value]) => givenInput(slot, value));
}

function givenInput(slot: string, value: Json): GivenInput {
  if (isObject(value) && isObject(value.$file)) return givenFile(slot, value, value.$file);
  if (isObject(value) && typeof value.$trace_id === 'string') {
    return { slot, input: { kind: 'trace', trace_id: value.$trace_id } };
  }
  if (isObject(value) && isObject(value.$trace)) {
    const trace = value.$trace as unknown as GivenTrace;
    return { slot, input: { kind: 'trace', trace_id: trace.trace_id }, trace };
  }
  if (isObject(value) && typeof value.$raw === 'string')
    return { slot, input: { kind: 'json', value: null }, raw: value.$raw };
  return { slot, input: { kind: 'json', value: expand(value) } };
}

function givenFile(slot: string, value: JsonObject, file: JsonObject): GivenInput {
  const bytes = bytesOf(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const storedBytes = value.stored_bytes ?? file.stored_bytes;
  const stored = storedBytes === undefined ? bytes : storedBytes === null ? null : bytesOf(toFile(storedBytes));
  return {
    slot,
    input: {
      kind: 'file',
      sha256,
      size_bytes: bytes.byteLength,
      format: value.format ?? 'text',
      ...(typeof value.filename === 'string' && { filename: value.filename }),
    },
    file: { sha256, size_bytes: bytes.byteLength, stored },
  };
}

function toFile(stored: Json): JsonObject {
  return isObject(stored) ? stored : { text: String(stored) };
}

function bytesOf(file: JsonObject): Uint8Array {
  if (typeof file.text === 'string') return new TextEncoder().encode(file.text);
  if (typeof file.base64 === 'string') return Buffer.from(file.base64, 'base64');
  if (typeof file.bytes === 'number') return new Uint8Array(file.bytes);
  if (typeof file.fixture === 'string') return documentFixture(file.fixture);
  return new Uint8Array();
}

/** `{$repeat: {text, times, then}}` at any depth. */
function expand(value: Json): Json {
  if (!isObject(value)) return Array.isArray(value) ? value.map(expand) : value;
  if (isObject(value.$repeat)) {
    const { text, times, then } = value.$repeat;
    return `${String(text).repeat(Number(times))}${then === undefined ? '' : String(then)}`;
  }
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, expand(child)]));
}
