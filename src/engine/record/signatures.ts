import { type Envelope, type KeySet, keySetSchema, type PublicKey } from '#contract/record.ts';
import type { DefectCode } from '#contract/record-defects.ts';
import { decodeBase64 } from './base64.ts';
import { keyIdOf, verifySignature } from './dsse.ts';
import { preAuthenticationEncoding } from './pre-authentication-encoding.ts';
import type { Place } from './read-text.ts';

/** A key that a signature may be of. Windows are RFC 3339 in UTC: from inclusive, until exclusive. */
export interface CandidateKey {
  readonly kid: string;
  readonly key: PublicKey;
  readonly valid_from: string;
  readonly valid_until?: string | undefined;
  /** What a time outside its window is called. */
  readonly windowCode: Extract<DefectCode, 'key_window' | 'delegation_window' | 'delegation_outside_root'>;
  /** Whether a signature of it counts. */
  readonly isTrusted: boolean;
}

/** Root keys from outside the record (docs/spec/records.md §3). Null: none were given, or they are no key set. */
export function rootKeys(keys: unknown, place: Place): readonly CandidateKey[] | null {
  const { ledger, step, at } = place;
  if (keys === undefined) {
    ledger.undecidable(step, 'keys_not_given', at);
    return null;
  }
  const parsed = keySetSchema.safeParse(keys);
  if (!parsed.success) {
    ledger.undecidable(step, 'keys_malformed', at);
    return null;
  }
  return parsed.data.keys.flatMap((key, position) => toCandidate(key, { ...place, at: `${at}/keys/${position}` }));
}

function toCandidate(key: KeySet['keys'][number], { ledger, step, at }: Place): readonly CandidateKey[] {
  const { kid, valid_from, valid_until } = key;
  const isConsistent = kid === keyIdOf(key) && (key.kty === 'OKP') === (key.alg === 'EdDSA');
  if (!isConsistent) {
    ledger.undecidable(step, 'key_id_wrong', at);
    return [];
  }
  return [{ kid, key, valid_from, valid_until, windowCode: 'key_window', isTrusted: true }];
}

/**
 * Checks every signature of an envelope that is of a known key, over the exact payload bytes, at the time that the
 * payload claims. An unknown key's signature is nobody's here; when no other one is there, that is the defect.
 */
export function checkSignatures(
  signed: { readonly envelope: Envelope; readonly payload: Uint8Array },
  keys: readonly CandidateKey[],
  time: string | null,
  place: Place,
): boolean {
  const { ledger, step, at } = place;
  const message = preAuthenticationEncoding(signed.envelope.payloadType, signed.payload);
  let isTrusted = false;
  let isKnown = false;
  for (const [position, { keyid, sig }] of signed.envelope.signatures.entries()) {
    const candidates = keys.filter(({ kid }) => kid === keyid);
    const [candidate] = candidates;
    if (candidate === undefined) continue;
    isKnown = true;
    const where = `${at}/signatures/${position}`;
    const signature = decodeBase64(sig);
    if (signature?.length !== 64) ledger.invalid(step, 'signature_form', where);
    else if (!verifySignature(candidate.key, message, signature)) ledger.invalid(step, 'signature_wrong', where);
    else if (time !== null && !candidates.some((key) => covers(key, time)))
      ledger.invalid(step, candidate.windowCode, where);
    else isTrusted ||= candidates.some((key) => key.isTrusted);
  }
  if (!isKnown) ledger.invalid(step, 'key_unknown', `${at}/signatures`);
  return isTrusted;
}

function covers(window: Pick<CandidateKey, 'valid_from' | 'valid_until'>, time: string): boolean {
  const at = Date.parse(time);
  const { valid_from, valid_until } = window;
  return at >= Date.parse(valid_from) && (valid_until === undefined || at < Date.parse(valid_until));
}
