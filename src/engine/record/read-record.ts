import type { Json } from '#contract/json.ts';
import {
  type Envelope,
  exportedRecordSchema,
  type Inclusion,
  payloadTypes,
  predicateType,
  recordSchema,
  type SignedRecord,
  type Statement,
  statementSchema,
  statementType,
} from '#contract/record.ts';
import { canonical } from '../values/canonical.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { decodeBase64 } from './base64.ts';
import type { Ledger } from './ledger.ts';
import { decodeAs, decodeUtf8, hasVersion, type Place, readJsonText } from './read-text.ts';
import { operatorsVersion } from './statement.ts';

export const maxRecordLength = 4 * 1024 * 1024;
const maxDepth = 32;

/** A record as far as it can be read. */
export interface ReadRecord {
  readonly record: SignedRecord;
  readonly payload: Uint8Array;
  /** Null: not a statement of a version known here, or malformed. */
  readonly statement: Statement | null;
  readonly inclusion: Inclusion | null;
}

/** First step of docs/spec/records.md §4. Takes a record alone, or as `GET /v1/records/{execution_id}` answers it. */
export function readRecord(text: string, ledger: Ledger): ReadRecord | null {
  ledger.begin('form');
  const place: Place = { ledger, step: 'form', at: 'record' };
  const value = readJsonText(text, maxRecordLength, { maxDepth }, place);
  if (value === undefined) return null;
  const isExport = isObject(value) && memberOf(value, 'record') !== undefined;
  const exported = isExport ? decodeAs(exportedRecordSchema, value, place) : undefined;
  const record = isExport ? exported?.record : decodeAs(recordSchema, value, place);
  if (record === undefined) return null;
  const payload = readPayload(record.envelope, 'record/envelope', ledger, 'form');
  if (payload === null) return null;
  const statement = readStatement(record.envelope, payload, ledger);
  if (statement !== null) checkForm(statement, ledger);
  return { record, payload, statement, inclusion: exported?.inclusion ?? null };
}

export function readPayload(
  envelope: Envelope,
  at: string,
  ledger: Ledger,
  step: Place['step'],
): Uint8Array<ArrayBufferLike> | null {
  const payload = decodeBase64(envelope.payload);
  if (payload === null) ledger.invalid(step, 'base64', `${at}/payload`);
  return payload;
}

/** The JSON of a payload, whose bytes must be the one canonical text of it; undefined with the fault reported. */
export function readPayloadJson(payload: Uint8Array, place: Place): Json | undefined {
  const text = decodeUtf8(payload);
  if (text === null) return void place.ledger.invalid(place.step, 'not_utf8', place.at);
  const value = readJsonText(text, maxRecordLength, { maxDepth }, place);
  if (value !== undefined && canonical(value) !== text) place.ledger.invalid(place.step, 'not_canonical', place.at);
  return value;
}

function readStatement(envelope: Envelope, payload: Uint8Array, ledger: Ledger): Statement | null {
  const place: Place = { ledger, step: 'form', at: 'payload' };
  if (envelope.payloadType !== payloadTypes.statement) {
    ledger.undecidable('form', 'unknown_payload_type', 'record/envelope/payloadType');
    return null;
  }
  const value = readPayloadJson(payload, place);
  if (value === undefined) return null;
  const isKnown =
    hasVersion(value, '_type', statementType, place) && hasVersion(value, 'predicateType', predicateType, place);
  return isKnown ? (decodeAs(statementSchema, value, place) ?? null) : null;
}

/** What the schema cannot say. */
function checkForm({ subject, predicate }: Statement, ledger: Ledger): void {
  for (const [position, { name }] of subject.entries()) {
    const isNamed = position === 0 ? name === `execution/${predicate.execution_id}` : name.startsWith('input/');
    if (!isNamed) ledger.invalid('form', 'subject_name', `payload/subject/${position}/name`);
  }
  for (const position of repeats(subject.map(({ name }) => name)))
    ledger.invalid('form', 'subject_twice', `payload/subject/${position}/name`);
  for (const position of repeats(predicate.requirements.map(({ id }) => id)))
    ledger.invalid('form', 'requirement_twice', `payload/predicate/requirements/${position}/id`);
  if (Date.parse(predicate.started_at) > Date.parse(predicate.ended_at))
    ledger.invalid('form', 'time_order', 'payload/predicate/ended_at');
  if (predicate.engine.operators !== operatorsVersion)
    ledger.undecidable('form', 'unknown_version', 'payload/predicate/engine/operators');
}

/** Positions of names that stood before. */
function repeats(names: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return names.flatMap((name, position) => {
    const isRepeat = seen.has(name);
    seen.add(name);
    return isRepeat ? [position] : [];
  });
}
