import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import {
  type Checkpoint,
  type Consistency,
  checkpointSchema,
  consistencySchema,
  type Envelope,
  envelopeSchema,
  type Inclusion,
  inclusionSchema,
  payloadTypes,
} from '#contract/record.ts';
import { isObject, memberOf } from '../values/kind.ts';
import type { Ledger } from './ledger.ts';
import { emptyRoot, isConsistent, isIncluded, leafHash } from './merkle.ts';
import { maxRecordLength, type ReadRecord, readPayload, readPayloadJson } from './read-record.ts';
import { decodeAs, hasVersion, type Place, readJsonText } from './read-text.ts';
import { type CandidateKey, checkSignatures } from './signatures.ts';

const step = 'inclusion';

/** A checkpoint whose form is known, and the digest by which the next one names it. */
interface ReadCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly sha256: string;
}

/**
 * Last step of docs/spec/records.md §4. `proof` is a JSON text from outside: an inclusion of this record, one checkpoint
 * kept elsewhere, or two checkpoints with the nodes between them.
 */
export function checkInclusion(
  read: ReadRecord,
  proof: string | undefined,
  roots: readonly CandidateKey[] | null,
  ledger: Ledger,
): void {
  if (proof === undefined && read.inclusion === null) return;
  ledger.begin(step);
  const given = proof === undefined ? {} : readProof(proof, ledger);
  const inclusion = given.inclusion ?? read.inclusion;
  const context: Context = { read, roots, ledger };
  const included = inclusion === null ? null : checkPath(context, inclusion);
  if (given.kept !== undefined) checkKept(context, given.kept, included);
  if (given.consistency !== undefined) checkConsistency(context, given.consistency, included);
  if (inclusion === null) ledger.undecidable(step, 'inclusion_not_given', 'inclusion');
}

interface Context {
  readonly read: ReadRecord;
  readonly roots: readonly CandidateKey[] | null;
  readonly ledger: Ledger;
}

interface Proof {
  readonly inclusion?: Inclusion;
  readonly kept?: Envelope;
  readonly consistency?: Consistency;
}

/** Which of the three it is shows in its members. */
function readProof(text: string, ledger: Ledger): Proof {
  const place: Place = { ledger, step, at: 'checkpoint' };
  const value = readJsonText(text, maxRecordLength, { maxDepth: 32 }, place);
  if (value === undefined) return {};
  const has = (name: string) => isObject(value) && memberOf(value, name) !== undefined;
  if (has('checkpoint')) return present('inclusion', decodeAs(inclusionSchema, value, place));
  if (has('from')) return present('consistency', decodeAs(consistencySchema, value, place));
  return present('kept', decodeAs(envelopeSchema, value, place));
}

function present<Name extends keyof Proof>(name: Name, value: Proof[Name] | undefined): Proof {
  return value === undefined ? {} : { [name]: value };
}

/** The path leads from the record to the root that a trusted key signed. */
function checkPath(context: Context, inclusion: Inclusion): ReadCheckpoint | null {
  const { read, ledger } = context;
  const found = readCheckpoint(context, inclusion.checkpoint, 'inclusion/checkpoint');
  if (found === null) return null;
  const { root, size, closed_at } = found.checkpoint;
  const { ended_at } = read.statement?.predicate ?? {};
  const path = inclusion.path.map(hexToBytes);
  const leaf = leafHash(sha256(read.payload));
  if (inclusion.size !== size) ledger.invalid(step, 'inclusion_size', 'inclusion/size');
  if (!isIncluded({ index: inclusion.index, size, path }, leaf, hexToBytes(root)))
    ledger.invalid(step, 'inclusion_path', 'inclusion/path');
  if (ended_at !== undefined && Date.parse(ended_at) > Date.parse(closed_at))
    ledger.invalid(step, 'inclusion_time', 'inclusion/checkpoint/closed_at');
  return found;
}

/** A checkpoint kept elsewhere and the one that proves this record must be one log. */
function checkKept(context: Context, envelope: Envelope, included: ReadCheckpoint | null): void {
  const kept = readCheckpoint(context, envelope, 'checkpoint');
  if (kept === null || included === null) return;
  if (kept.checkpoint.size !== included.checkpoint.size)
    context.ledger.undecidable(step, 'consistency_not_given', 'checkpoint');
  else if (kept.checkpoint.root !== included.checkpoint.root)
    context.ledger.invalid(step, 'checkpoint_differs', 'checkpoint/root');
}

function checkConsistency(context: Context, { from, to, path }: Consistency, included: ReadCheckpoint | null): void {
  const { ledger } = context;
  const earlier = readCheckpoint(context, from, 'checkpoint/from');
  const later = readCheckpoint(context, to, 'checkpoint/to');
  if (earlier === null || later === null) return;
  const [older, newer] = [earlier.checkpoint, later.checkpoint];
  const nodes = path.map(hexToBytes);
  // RFC 9162 has no proof from an empty tree: everything extends it.
  const holds =
    older.size === 0
      ? older.root === bytesToHex(emptyRoot) && nodes.length === 0
      : isConsistent({ from: older.size, to: newer.size, path: nodes }, hexToBytes(older.root), hexToBytes(newer.root));
  if (!holds) ledger.invalid(step, 'consistency_path', 'checkpoint/path');
  if (Date.parse(newer.opened_at) < Date.parse(older.closed_at))
    ledger.invalid(step, 'checkpoint_order', 'checkpoint/to/opened_at');
  if (newer.opened_at === older.closed_at && newer.previous !== earlier.sha256)
    ledger.invalid(step, 'checkpoint_chain', 'checkpoint/to/previous');
  const isAbout = [older, newer].some(({ size, root }) => {
    return included !== null && size === included.checkpoint.size && root === included.checkpoint.root;
  });
  if (included !== null && !isAbout) ledger.undecidable(step, 'consistency_not_given', 'checkpoint');
}

/** Checkpoints are signed by a root itself (docs/spec/records.md §1). */
function readCheckpoint({ read, roots, ledger }: Context, envelope: Envelope, at: string): ReadCheckpoint | null {
  const place: Place = { ledger, step, at };
  const payload = readPayload(envelope, at, ledger, step);
  if (payload === null) return null;
  if (envelope.payloadType !== payloadTypes.checkpoint) {
    ledger.undecidable(step, 'unknown_payload_type', `${at}/payloadType`);
    return null;
  }
  const value = readPayloadJson(payload, place);
  if (value === undefined || !hasVersion(value, 'version', 1, place)) return null;
  const checkpoint = decodeAs(checkpointSchema, value, place) ?? null;
  if (roots === null) ledger.undecidable(step, 'keys_not_given', 'keys');
  else checkSignatures({ envelope, payload }, roots, checkpoint?.closed_at ?? null, place);
  if (checkpoint === null) return null;
  const { tenant } = read.statement?.predicate ?? {};
  if (tenant !== undefined && checkpoint.tenant !== tenant) ledger.invalid(step, 'checkpoint_tenant', `${at}/tenant`);
  if (checkpoint.first_index > checkpoint.size) ledger.invalid(step, 'checkpoint_size', `${at}/first_index`);
  if (Date.parse(checkpoint.opened_at) > Date.parse(checkpoint.closed_at))
    ledger.invalid(step, 'checkpoint_order', `${at}/closed_at`);
  return { checkpoint, sha256: bytesToHex(sha256(payload)) };
}
