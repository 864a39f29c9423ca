import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** The bytes that a signature of a DSSE envelope is over (DSSE protocol 1.0.2; docs/spec/records.md §1). */
export function preAuthenticationEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = utf8ToBytes(payloadType);
  return concatBytes(utf8ToBytes(`DSSEv1 ${type.length} `), type, utf8ToBytes(` ${payload.length} `), payload);
}
