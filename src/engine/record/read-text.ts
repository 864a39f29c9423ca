import type { z } from 'zod';
import type { Json } from '#contract/json.ts';
import type { CheckStep } from '#contract/record.ts';
import type { ReadLimits } from '../values/json-reader.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { parseJson } from '../values/parse-json.ts';
import type { Ledger } from './ledger.ts';

/** Where a text belongs: the step that asks for it and the name it has in `at`. */
export interface Place {
  readonly ledger: Ledger;
  readonly step: CheckStep;
  readonly at: string;
}

/** One JSON value, or null with the fault reported. `limit` is in UTF-16 units. */
export function readJsonText(text: string, limit: number, limits: ReadLimits, place: Place): Json | undefined {
  const { ledger, step, at } = place;
  if (text.length > limit) return void ledger.invalid(step, 'too_large', at);
  const reading = parseJson(text, limits);
  if (reading.ok) return reading.value;
  return void ledger.invalid(step, faultCodes[reading.reason], `${at}${reading.pointer}`);
}

const faultCodes = {
  syntax: 'json_syntax',
  duplicate_key: 'json_duplicate_member',
  lone_surrogate: 'json_lone_surrogate',
  unsafe_integer: 'json_unsafe_integer',
  number_range: 'json_number_range',
  depth: 'json_depth',
} as const;

const maxIssues = 20;

/** The value in its schema's type, or undefined with every place reported that does not fit. */
export function decodeAs<Value>(schema: z.ZodType<Value>, value: Json, place: Place): Value | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues.slice(0, maxIssues)) {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
    place.ledger.invalid(place.step, 'schema', `${place.at}${pointerOf(path)}`);
  }
  return undefined;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((token) => `/${String(token).slice(0, 128).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A member that says which version of a form a value has; anything else than `known` is not ours to judge. */
export function hasVersion(value: Json, name: string, known: Json, place: Place): boolean {
  const found = isObject(value) ? memberOf(value, name) : undefined;
  // A missing or malformed version is the schema's to report.
  if (found === undefined || found === known || typeof found !== typeof known) return true;
  place.ledger.undecidable(place.step, 'unknown_version', `${place.at}/${name}`);
  return false;
}

/** Strict UTF-8 without a byte-order mark; null when the bytes are not. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
