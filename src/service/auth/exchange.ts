import { type ErrorCode, Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { ApiKey } from '../ports/keys.ts';
import { parseApiKey, sameDigest, sha256Hex, tenantHex } from './api-key.ts';
import { type AuthenticationPorts, localTenant, requireLivingCard } from './authenticate.ts';
import { permissions, rolePermissions } from './permissions.ts';
import { issueToken, tokenLifeSeconds } from './tokens.ts';

/** The answer of `POST /auth/token` (docs/spec/wire.md §2.1). */
interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly issued_token_type: 'urn:ietf:params:oauth:token-type:access_token';
}

/** The words that OAuth has for a refusal; client 0.3 reads these, 0.4 the code (§2.2). */
type OAuthError =
  | 'invalid_grant'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_request'
  | 'invalid_target';

/** A refused exchange. */
interface ExchangeRefusal {
  readonly status: 400 | 401;
  readonly error: OAuthError;
  readonly code: ErrorCode;
  readonly error_description: string;
}

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const apiKeyType = 'urn:wyrd:oauth:token-type:api_key';

type Exchange =
  | { readonly ok: true; readonly answer: TokenAnswer }
  | { readonly ok: false; readonly refusal: ExchangeRefusal };

/** Changes an API key into an access token, and activates the owner version that the key runs as (docs/spec/background.md §3.4). */
export async function exchangeToken(ports: AuthenticationPorts, form: ReadonlyMap<string, string>): Promise<Exchange> {
  const grant = form.get('grant_type') ?? '';
  if (grant === '') return refuse('invalid_request', 'WYRD_SPEC_400_VALIDATION', 'grant_type is missing');
  if (grant !== tokenExchange) {
    return refuse('unsupported_grant_type', 'WYRD_AUTH_400_UNSUPPORTED_GRANT_TYPE', 'only token exchange is offered');
  }
  if (form.get('subject_token_type') !== apiKeyType) {
    return refuse('invalid_request', 'WYRD_SPEC_400_VALIDATION', `subject_token_type must be ${apiKeyType}`);
  }
  const subjectToken = form.get('subject_token') ?? '';
  if (subjectToken === '') return refuse('invalid_request', 'WYRD_SPEC_400_VALIDATION', 'subject_token is missing');
  const workload = form.get('workload_uid') ?? null;
  if (workload !== null && !isUuidV7(workload)) {
    return refuse('invalid_request', 'WYRD_SPEC_400_VALIDATION', 'workload_uid is not a UUIDv7');
  }
  if (!(await ports.keys.any())) return exchangeWithoutKeys(ports);
  return exchangeKey(ports, subjectToken, workload);
}

async function exchangeWithoutKeys(ports: AuthenticationPorts): Promise<Exchange> {
  const claims = { principal: localTenant, tenant: localTenant, card_uid: null, permissions };
  return accept(await issueToken(ports, claims));
}

async function exchangeKey(ports: AuthenticationPorts, text: string, workload: string | null): Promise<Exchange> {
  const key = await findKey(ports, text);
  if (!key) return refuse('invalid_grant', 'WYRD_AUTH_401_API_KEY_INVALID', 'the API key is not known');
  if (key.revoked_at !== null) {
    return refuse('invalid_grant', 'WYRD_AUTH_401_CREDENTIAL_REVOKED', 'the API key was revoked');
  }
  const owner = key.card_uid ?? workload;
  const problem = owner === null ? null : await cannotRunAs(ports, key, owner, workload);
  if (problem) return problem;
  if (owner !== null) await ports.registry.activate(key.tenant, owner, ports.clock.now());
  const claims = {
    principal: key.key_id,
    tenant: key.tenant,
    card_uid: key.card_uid,
    permissions: rolePermissions[key.role],
  };
  return accept(await issueToken(ports, claims));
}

/** The stored key of this text. Unknown ids take the same comparison, so time tells nothing about them. */
async function findKey(ports: AuthenticationPorts, text: string): Promise<ApiKey | null> {
  const parsed = parseApiKey(text);
  const stored = parsed ? await ports.keys.find(parsed.key_id) : null;
  const matches = sameDigest(sha256Hex(text), stored?.sha256 ?? '0'.repeat(64));
  return stored && matches && parsed?.tenant_hex === tenantHex(stored.tenant) ? stored : null;
}

async function cannotRunAs(
  ports: AuthenticationPorts,
  key: ApiKey,
  owner: string,
  workload: string | null,
): Promise<Exchange | null> {
  if (workload !== null && workload !== owner) {
    return refuse('invalid_target', 'WYRD_SPEC_400_VALIDATION', 'the key is bound to another Card version');
  }
  try {
    await requireLivingCard(ports, key.tenant, owner);
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (key.card_uid !== null) return refuse('invalid_grant', error.code, error.detail);
    return refuse('invalid_target', 'WYRD_SPEC_400_VALIDATION', 'workload_uid names no active Card');
  }
}

function accept(token: string): Exchange {
  return {
    ok: true,
    answer: {
      access_token: token,
      token_type: 'Bearer',
      expires_in: tokenLifeSeconds,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    },
  };
}

function refuse(error: OAuthError, code: ErrorCode, description: string): Exchange {
  const status = error === 'invalid_grant' ? 401 : 400;
  return { ok: false, refusal: { status, error, code, error_description: description } };
}
