import { createHash } from 'node:crypto';
import { payloadTypes, type SignedRecord } from '#contract/record.ts';
import type { VerificationResult } from '#contract/result.ts';
import type { AttestedWork } from '#engine/record/attested.ts';
import { statementBytes, statementOf } from '#engine/record/statement.ts';
import type { CompiledVerifier } from '../cards/compiled-verifiers.ts';
import type { Execution } from '../ports/executions.ts';
import type { ExecutionRecord } from '../ports/records.ts';
import type { Signatures, Signer } from '../ports/signer.ts';
import type { Log } from '../ports.ts';

export interface RecordPorts {
  readonly signer: Signer;
  readonly log: Log;
}

/** A completed execution that is about to be stored. */
export interface Completed {
  readonly tenant: string;
  readonly execution: Execution;
  readonly target: CompiledVerifier;
  readonly result: Omit<VerificationResult, 'record'>;
  readonly work: AttestedWork;
  /** RFC 3339. */
  readonly ended_at: string;
}

/**
 * The record of a result (docs/spec/records.md §1). No failure of the key keeps a verdict back: without a signature the
 * record is `pending`, and `signPending` finishes it.
 */
export async function makeRecord(ports: RecordPorts, completed: Completed): Promise<ExecutionRecord> {
  const payload = statementBytes(
    statementOf({
      tenant: completed.tenant,
      started_at: completed.execution.created_at,
      ended_at: completed.ended_at,
      result: completed.result,
      inputs: completed.execution.request.inputs,
      work: completed.work,
      verifier_sha256: completed.target.verifier_sha256,
      subject_sha256: completed.target.subject_sha256,
    }),
  );
  const sha256 = sha256Of(payload);
  try {
    return await signRecord(ports.signer, payload, sha256, completed.ended_at);
  } catch (error) {
    const { execution_id } = completed.execution;
    ports.log.error('record not signed yet', { execution_id, error: error instanceof Error ? error.name : 'unknown' });
    return { state: 'pending', sha256, text: Buffer.from(payload).toString('utf8') };
  }
}

/** Throws when it cannot be signed now. */
export async function signRecord(
  signer: Signer,
  payload: Uint8Array,
  sha256: string,
  endedAt: string,
): Promise<ExecutionRecord> {
  const { statement } = payloadTypes;
  const signed = await signer.sign(statement, payload, Date.parse(endedAt));
  return { state: 'signed', sha256, text: JSON.stringify(toRecord(statement, payload, signed)) };
}

export function toRecord(
  payloadType: string,
  payload: Uint8Array,
  { signatures, delegation }: Signatures,
): SignedRecord {
  const envelope = { payloadType, payload: Buffer.from(payload).toString('base64'), signatures };
  return delegation === undefined ? { envelope } : { envelope, delegation };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
