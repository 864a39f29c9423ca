import { type SignedRecord, type Statement, statementSchema } from '#contract/record.ts';
import type { ExecutionRecord } from '../ports/records.ts';

/** How a result and a state show their record (docs/spec/wire.md §10.1): never signed before it is. */
export interface ShownRecord {
  readonly state: 'signed' | 'pending';
  /** Lower hex SHA-256 of the payload. */
  readonly digest?: string;
}

export function showRecord({ state, sha256 }: Pick<ExecutionRecord, 'state' | 'sha256'>): ShownRecord {
  return state === 'signed' ? { state, digest: sha256 } : { state };
}

/** The stored text of a result with its record put in: its own bytes stay as they are, since the record is over them. */
export function withRecord(result: string, record: ShownRecord): string {
  return `${result.slice(0, -1)},"record":${JSON.stringify(record)}}`;
}

/** What a stored record says, signed or not yet. */
export function statementIn({ state, text }: Pick<ExecutionRecord, 'state' | 'text'>): Statement {
  const payload = state === 'pending' ? text : payloadOf(JSON.parse(text) as SignedRecord);
  return statementSchema.parse(JSON.parse(payload));
}

function payloadOf({ envelope }: SignedRecord): string {
  return Buffer.from(envelope.payload, 'base64').toString('utf8');
}
