import { z } from 'zod';
import { decode } from './decode.ts';
import type { WireRequest } from './send-once.ts';

const answerSchema = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.literal('Bearer'),
  expires_in: z.number().min(0),
});

/** A token is renewed this long before its end (docs/spec/wire.md §2.1). */
const renewBeforeMs = 30_000;

export type Credential = { readonly apiKey: string } | { readonly accessToken: string };

export interface AccessTokens {
  /** A token that is good for a while; never the one that was just `refused`, where another can be had. */
  get(refused?: string): Promise<string>;
  /** Whether another token can be had than the one that was refused. */
  readonly renewable: boolean;
}

/**
 * Exchanges the API key when a token is needed and keeps it until shortly before its end. Calls that need one at the same
 * time share one exchange.
 */
export function accessTokens(
  credential: Credential,
  exchange: (request: WireRequest) => Promise<unknown>,
  now: () => number,
): AccessTokens {
  if ('accessToken' in credential) return { renewable: false, get: async () => credential.accessToken };
  let held: { readonly token: string; readonly until: number } | undefined;
  let pending: Promise<string> | undefined;
  const renew = async () => {
    const asked = now();
    const answer = decode(answerSchema, await exchange(exchangeRequest(credential.apiKey)));
    held = { token: answer.access_token, until: asked + answer.expires_in * 1_000 - renewBeforeMs };
    return answer.access_token;
  };
  return {
    renewable: true,
    get(refused) {
      if (held && held.token !== refused && now() < held.until) return Promise.resolve(held.token);
      pending ??= renew().finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}

function exchangeRequest(apiKey: string): WireRequest {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: apiKey,
    subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
    client_id: 'wyrd-cli',
  });
  return {
    method: 'POST',
    path: '/auth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    // An exchange has no effect that a second one would double.
    repeatable: true,
  };
}
