import type { Signer } from '#service/ports/signer.ts';
import { signPayload } from '#service/records/sign-payload.ts';
import { type DelegatedKey, delegate } from './signing/delegated-key.ts';
import type { PublishedKey, PublishedKeys } from './signing/published-keys.ts';
import type { RootKey } from './signing/root-key.ts';

/** A delegation is renewed this long before its end. */
const renewalMs = 600_000;
/** After a refusal the key service is left alone for this long: no verdict waits for it again. */
const restMs = 10_000;
/** Longest wait of a verdict for its signature; what takes longer is signed by the sweep. */
const patienceMs = 2_500;

/**
 * Signs records with a key of this process that the root in KMS delegates to, so that a record costs no call; whatever lies
 * outside its hour, and checkpoints, the root signs itself (docs/spec/records.md §1). `now` is in milliseconds.
 */
export function delegatedSigner(root: RootKey, published: PublishedKeys, now: () => number): Signer {
  let key: DelegatedKey | null = null;
  let renewing: Promise<DelegatedKey> | null = null;
  let restUntil = 0;

  const rootAt = async (at: number): Promise<PublishedKey> => {
    const { kid, jwk } = await root.publicKey();
    const row = await published.ensure(kid, jwk);
    if (!covers(row, at)) throw new Error('the root key of this deployment does not sign that time');
    return row;
  };
  const renew = async () => {
    const { valid_from } = await rootAt(now());
    return delegate((type, payload) => root.sign(type, payload), now(), Date.parse(valid_from));
  };
  const renewOnce = async () => {
    if (now() < restUntil) throw new Error('the key service refused a moment ago');
    renewing ??= inTime(renew());
    try {
      key = await renewing;
      return key;
    } catch (error) {
      restUntil = now() + restMs;
      throw error;
    } finally {
      renewing = null;
    }
  };
  const current = async (): Promise<DelegatedKey> => {
    const held = key;
    if (held !== null && now() < held.valid_until - renewalMs) return held;
    try {
      return await renewOnce();
    } catch (error) {
      if (held !== null && now() < held.valid_until) return held;
      throw error;
    }
  };
  const signAsRoot: Signer['signAsRoot'] = async (payloadType, payload, at) => {
    const signature = rootAt(at).then(() => root.sign(payloadType, payload));
    return { signatures: [await inTime(signature)] };
  };
  return {
    async sign(payloadType, payload, at) {
      const held = await current();
      if (at < held.valid_from || at >= held.valid_until) return signAsRoot(payloadType, payload, at);
      return { signatures: [signPayload(held, payloadType, payload)], delegation: held.delegation };
    },
    signAsRoot,
    async rootKeys() {
      const keys = await published.all();
      if (keys.length > 0) return { keys: [...keys] };
      // Nothing was signed here yet: the key of this deployment is the first.
      const { kid, jwk } = await root.publicKey();
      return { keys: [await published.ensure(kid, jwk)] };
    },
  };
}

/** What comes too late is nobody's any more. */
async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the key service took too long')), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** For functions that sign nothing: they have no permission to, and not the client of KMS. */
export function publishingSigner(published: PublishedKeys): Signer {
  const refuse = async () => {
    throw new Error('this function signs nothing');
  };
  return { sign: refuse, signAsRoot: refuse, rootKeys: async () => ({ keys: [...(await published.all())] }) };
}

function covers({ valid_from, valid_until }: PublishedKey, at: number): boolean {
  return at >= Date.parse(valid_from) && (valid_until === undefined || at < Date.parse(valid_until));
}
