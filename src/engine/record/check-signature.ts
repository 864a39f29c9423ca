import type { Json } from '#contract/json.ts';
import { type Delegation, delegationSchema, type Envelope, payloadTypes } from '#contract/record.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { keyIdOf } from './dsse.ts';
import type { Ledger } from './ledger.ts';
import { type ReadRecord, readPayload, readPayloadJson } from './read-record.ts';
import { decodeAs, hasVersion, type Place } from './read-text.ts';
import { type CandidateKey, checkSignatures } from './signatures.ts';

const longestDelegationMs = 3_600_000;

/** Second step of docs/spec/records.md §4: a trusted root signed the payload, or a key that it delegated to. */
export function checkSignature(read: ReadRecord, roots: readonly CandidateKey[] | null, ledger: Ledger): void {
  ledger.begin('signature');
  if (roots === null) return;
  const { envelope, delegation } = read.record;
  const { ended_at = null, tenant = null } = read.statement?.predicate ?? {};
  const delegated = delegation === undefined ? null : readDelegation(delegation, roots, tenant, ledger);
  const keys = delegated === null ? roots : [...roots, delegated];
  checkSignatures({ envelope, payload: read.payload }, keys, ended_at, {
    ledger,
    step: 'signature',
    at: 'record/envelope',
  });
}

/** The key that a delegation names, trusted only when everything about it is right (docs/spec/records.md §1, §3). */
function readDelegation(
  envelope: Envelope,
  roots: readonly CandidateKey[],
  tenant: string | null,
  ledger: Ledger,
): CandidateKey | null {
  const place: Place = { ledger, step: 'signature', at: 'record/delegation' };
  const payload = readPayload(envelope, place.at, ledger, place.step);
  if (payload === null) return null;
  if (envelope.payloadType !== payloadTypes.delegation) {
    ledger.undecidable(place.step, 'unknown_payload_type', `${place.at}/payloadType`);
    return null;
  }
  const value = readPayloadJson(payload, { ...place, at: 'delegation' });
  const delegation = value === undefined ? null : toDelegation(value, { ...place, at: 'delegation' });
  if (delegation === null) {
    checkSignatures({ envelope, payload }, roots, null, place);
    return null;
  }
  const issued = roots.map((root) => ({ ...root, windowCode: 'delegation_outside_root' as const }));
  const isRootSigned = checkSignatures({ envelope, payload }, issued, delegation.valid_from, place);
  const isSound = checkTerms(delegation, tenant, ledger);
  const kid = keyIdOf(delegation.key);
  if (kid === null) return null;
  const { key, valid_from, valid_until } = delegation;
  return { kid, key, valid_from, valid_until, windowCode: 'delegation_window', isTrusted: isRootSigned && isSound };
}

function toDelegation(value: Json, place: Place): Delegation | null {
  if (!hasVersion(value, 'version', 1, place)) return null;
  const purpose = isObject(value) ? memberOf(value, 'purpose') : undefined;
  if (typeof purpose === 'string' && purpose !== 'records') {
    place.ledger.invalid(place.step, 'delegation_purpose', `${place.at}/purpose`);
    return null;
  }
  return decodeAs(delegationSchema, value, place) ?? null;
}

function checkTerms({ valid_from, valid_until, tenant_scope }: Delegation, tenant: string | null, ledger: Ledger) {
  const length = Date.parse(valid_until) - Date.parse(valid_from);
  const isShort = length <= longestDelegationMs;
  const isInScope = tenant === null || tenant_scope === '*' || tenant_scope === tenant;
  if (!isShort) ledger.invalid('signature', 'delegation_too_long', 'delegation/valid_until');
  if (!isInScope) ledger.invalid('signature', 'delegation_scope', 'delegation/tenant_scope');
  return isShort && isInScope;
}
