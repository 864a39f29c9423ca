import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { CardRef } from '#contract/cards/reference.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { JsonObject } from '#contract/json.ts';
import { predicateType, type Statement, statementType } from '#contract/record.ts';
import type { VerificationResult } from '#contract/result.ts';
import { digestOf } from '../run/capture.ts';
import { canonical } from '../values/canonical.ts';
import type { AttestedWork } from './attested.ts';

/** The meaning of operators, conditions and decide. It changes when the same evidence could be judged otherwise. */
export const operatorsVersion = '1';

export interface StatementInput {
  readonly tenant: string;
  /** RFC 3339, UTC. `started_at` is the one that the run was given. */
  readonly started_at: string;
  readonly ended_at: string;
  /** As answered, capture applied, without `record`. */
  readonly result: Omit<VerificationResult, 'record'>;
  /** As pinned, before any capture: their digests do not depend on it. */
  readonly inputs: Readonly<Record<string, PinnedInput>>;
  readonly work: AttestedWork;
  /** `cardDigest` of the two Cards. */
  readonly verifier_sha256: string;
  readonly subject_sha256: string;
}

/** What is signed of one completed execution (docs/spec/records.md §1). */
export function statementOf(input: StatementInput): Statement {
  const { result, work } = input;
  const { outcome, execution_id, engine } = result;
  return {
    _type: statementType,
    subject: [{ name: `execution/${execution_id}`, digest: { sha256: resultDigest(result) } }, ...inputDigests(input)],
    predicateType,
    predicate: {
      execution_id,
      tenant: input.tenant,
      verdict: outcome.verdict,
      started_at: input.started_at,
      ended_at: input.ended_at,
      verifier: withDigest(result.verifier, input.verifier_sha256),
      subject: withDigest(result.subject, input.subject_sha256),
      requirements: outcome.requirements.map(({ id, outcome: word, reason_code, check }) => ({
        id,
        outcome: word,
        reason_code,
        judged_by: judgedBy(check),
      })),
      judges: work.judges,
      code: work.code,
      extractions: work.extractions,
      drift: work.drift,
      group: null,
      engine: { ...engine, operators: operatorsVersion },
    },
  };
}

/** The kind of the check: `assert`, `trace`, `agent`, `code` or `drift`. */
export function judgedBy(check: JsonObject): string {
  return typeof check.kind === 'string' ? check.kind : '';
}

/** SHA-256 of the RFC 8785 bytes of a result document; its own `record` member is not part of it. */
export function resultDigest(result: object): string {
  const { record: _record, ...document } = result as JsonObject;
  return digestOf(document);
}

/** In byte order of the slots' names as they stand; a trace that could not be read has no digest. */
function inputDigests({ inputs, work }: StatementInput): Statement['subject'] {
  const traces = new Map(work.traces.map(({ slot, sha256 }) => [slot, sha256]));
  return Object.entries(inputs).flatMap(([slot, pinned]) => {
    const sha256 = pinned.kind === 'trace' ? traces.get(slot) : inputDigest(pinned);
    return sha256 === undefined ? [] : [{ name: `input/${slot}`, digest: { sha256 } }];
  });
}

function inputDigest(pinned: Exclude<PinnedInput, { kind: 'trace' }>): string {
  return pinned.kind === 'json' ? digestOf(pinned.value) : pinned.sha256;
}

function withDigest({ kind, name, version, uid }: CardRef, sha256: string) {
  return {
    kind,
    name,
    ...(version !== undefined && { version }),
    ...(uid !== undefined && { uid }),
    digest: { sha256 },
  };
}

/** The bytes that are signed: RFC 8785. */
export function statementBytes(statement: Statement): Uint8Array {
  // Absent members only: a statement holds nothing that JSON has no word for.
  return utf8ToBytes(canonical(statement as JsonObject));
}
