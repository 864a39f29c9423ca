import type { JsonObject } from '#contract/json.ts';
import { parseJson } from '#engine/values/parse-json.ts';
import { ExtractFailure } from '../extract-failure.ts';
import { decodeText } from './decode-text.ts';

/** `{format, value}`; a JSON file obeys the JSON rules of evidence (docs/spec/verification.md §3.3, §4.3). */
export function extractJson(bytes: Uint8Array): JsonObject {
  const parsed = parseJson(decodeText(bytes), { maxDepth: 127 });
  if (!parsed.ok)
    throw new ExtractFailure(`the file is not one JSON text (${parsed.reason})`, { code: 'extract_unreadable' });
  return { format: 'json', value: parsed.value };
}
