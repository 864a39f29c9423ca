import { Problem } from '#contract/errors.ts';
import type { TokenKeys } from '../ports/keys.ts';
import type { Clock, Ids } from '../ports.ts';
import { isPermission, type Permission } from './permissions.ts';

/** What an access token says (docs/spec/wire.md §2.3). */
export interface TokenClaims {
  /** Key id, or `local` for a token made without keys. */
  readonly principal: string;
  readonly tenant: string;
  readonly card_uid: string | null;
  readonly permissions: readonly Permission[];
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export interface TokenPorts {
  readonly tokenKeys: TokenKeys;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Seconds. The published client renews 30 s before the end. */
export const tokenLifeSeconds = 3_600;
/** After this long a signing key is replaced; the one before stays valid, so no token dies by rotation. */
const keyLifeMs = 30 * 24 * 3_600_000;
const audience = 'wyrd';
const algorithm = 'HS256';

export async function issueToken(ports: TokenPorts, claims: Omit<TokenClaims, 'expires_at'>): Promise<string> {
  const now = ports.clock.now();
  let [key] = await ports.tokenKeys.valid();
  if (!key || now - key.created_at > keyLifeMs) {
    await ports.tokenKeys.rotate();
    [key] = await ports.tokenKeys.valid();
  }
  if (!key) throw new Problem('WYRD_AUTH_503_VERIFY_UNAVAILABLE', 'no key signs access tokens');
  const issued = Math.floor(now / 1_000);
  const { SignJWT } = await import('jose');
  return new SignJWT({ tid: claims.tenant, card: claims.card_uid, perm: claims.permissions })
    .setProtectedHeader({ alg: algorithm, kid: key.kid })
    .setSubject(claims.principal)
    .setAudience(audience)
    .setJti(ports.ids.next())
    .setIssuedAt(issued)
    .setExpirationTime(issued + tokenLifeSeconds)
    .sign(key.secret);
}

/** The claims of a token that one of the valid keys signed, or a 401. */
export async function verifyToken(ports: TokenPorts, token: string): Promise<TokenClaims> {
  const { decodeProtectedHeader, jwtVerify } = await import('jose');
  try {
    const { kid } = decodeProtectedHeader(token);
    const key = (await ports.tokenKeys.valid()).find((candidate) => candidate.kid === kid);
    if (!key) throw invalidToken();
    const { payload } = await jwtVerify(token, key.secret, {
      algorithms: [algorithm],
      audience,
      requiredClaims: ['sub', 'tid', 'exp'],
      currentDate: new Date(ports.clock.now()),
    });
    return toClaims(payload);
  } catch (error) {
    throw refusal(error);
  }
}

function refusal(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED')) return invalidToken(error);
  return new Problem('WYRD_AUTH_401_TOKEN_EXPIRED', 'the access token has expired', undefined, { cause: error });
}

function toClaims(payload: Readonly<Record<string, unknown>>): TokenClaims {
  const { sub, tid, card, perm, exp } = payload;
  if (typeof sub !== 'string' || typeof tid !== 'string' || typeof exp !== 'number') throw invalidToken();
  return {
    principal: sub,
    tenant: tid,
    card_uid: typeof card === 'string' ? card : null,
    permissions: Array.isArray(perm) ? perm.filter(isPermission) : [],
    expires_at: exp * 1_000,
  };
}

function invalidToken(cause?: unknown): Problem {
  return new Problem('WYRD_AUTH_401_INVALID_TOKEN', 'the access token is not valid here', undefined, { cause });
}
