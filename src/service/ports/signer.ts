import type { Envelope, KeySet } from '#contract/record.ts';

/** What a signing key says of one payload. */
export interface Signatures {
  readonly signatures: Envelope['signatures'];
  /** The root's word for the key, where it is not a root. */
  readonly delegation?: Envelope;
}

/** Signs the DSSE pre-authentication encoding of payloads (docs/spec/records.md §1). Throws when no key can be had now. */
export interface Signer {
  /** By a key whose window covers `at` (milliseconds), the time that the payload claims. */
  sign(payloadType: string, payload: Uint8Array, at: number): Promise<Signatures>;
  /** By the root itself, whose window covers `at`. */
  signAsRoot(payloadType: string, payload: Uint8Array, at: number): Promise<Signatures>;
  /** Every root key there ever was (docs/spec/records.md §3). */
  rootKeys(): Promise<KeySet>;
}
