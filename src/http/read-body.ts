import { type ErrorCode, Problem } from '#contract/errors.ts';
import type { Json } from '#contract/json.ts';
import type { ReadLimits } from '#engine/values/json-reader.ts';
import { parseJson } from '#engine/values/parse-json.ts';

/** Containers around a value in the deepest body: `{inputs: {slot: {value}}}`, `{submissions: [{spec}]}`. */
const wrappers = 3;
/** docs/spec/verification.md §3.3. */
const maxValueDepth = 128;

const jsonLimits: Readonly<Record<'evidence' | 'card' | 'plain', ReadLimits>> = {
  evidence: { maxDepth: maxValueDepth + wrappers, integers: 'safe' },
  card: { maxDepth: maxValueDepth + wrappers, integers: 'exact' },
  plain: { maxDepth: 32, integers: 'safe' },
};

/** The whole body, refused as soon as it is known to be above the limit. */
export async function readBytes(request: Request, limit: number, tooLarge: ErrorCode): Promise<Uint8Array> {
  const refuse = () => new Problem(tooLarge, `the body is above ${limit} bytes`, { limit });
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > limit) throw refuse();
  // With a declared length the transport itself ends the body there.
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyStream(request)) {
    size += chunk.byteLength;
    if (size > limit) throw refuse();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body piece by piece, for bytes that go to the store. */
export async function* bodyStream(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

/** JSON under the strict rules; a fault inside an input is that input's fault (docs/spec/verification.md §3.3). */
export function parseBody(bytes: Uint8Array, rules: 'evidence' | 'card' | 'plain'): Json {
  const text = decode(bytes);
  if (text === null) throw new Problem('WYRD_SPEC_400_VALIDATION', 'the body is not UTF-8');
  const reading = parseJson(text, jsonLimits[rules]);
  if (reading.ok) return reading.value;
  const { pointer, reason, offset, message } = reading;
  const slot = rules === 'evidence' ? /^\/inputs\/([^/]+)/.exec(pointer)?.[1] : undefined;
  if (slot !== undefined && reason !== 'syntax') {
    const name = slot.replaceAll('~1', '/').replaceAll('~0', '~');
    throw new Problem('WYRD_VERIFICATION_400_INPUT_INVALID', `input ${name}: ${message}`, {
      field: `/inputs/${slot}`,
      slot: name,
      reason,
      pointer,
      inputs: [{ slot: name, pointer, message }],
    });
  }
  throw new Problem('WYRD_SPEC_400_VALIDATION', `the body is not acceptable JSON: ${message}`, {
    reason,
    pointer,
    offset,
  });
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
