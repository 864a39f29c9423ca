import type { z } from 'zod';
import { type AccessTokens, accessTokens, type Credential } from './access-tokens.ts';
import { decode } from './decode.ts';
import { type NoAnswer, type SendPorts, sendOnce, type WireAnswer, type WireRequest } from './send-once.ts';
import { toTouchstoneError } from './touchstone-error.ts';
import { uuidV7 } from './uuid-v7.ts';

export interface TransportOptions {
  /** Origin of the service, with a path prefix or not. `https`, or `http` to this machine (docs/spec/wire.md §1.1). */
  readonly url: string;
  readonly credential: Credential;
  readonly fetch?: typeof fetch;
  /** Milliseconds one attempt may take; 30,000 unless said otherwise. */
  readonly timeoutMs?: number;
  /** For tests: how pauses are waited for, and the clock of token renewal. */
  readonly sleep?: (ms: number) => Promise<void>;
  readonly now?: () => number;
}

export interface Transport {
  /** Sends one call and decodes its answer; throws a `TouchstoneError`. */
  call<Shape extends z.ZodType>(request: WireRequest, schema: Shape): Promise<z.output<Shape>>;
  /** The same without a token: for public routes, and for stores that upload plans name. */
  send(request: WireRequest): Promise<unknown>;
}

/** Pauses before the second and third attempt (docs/spec/wire.md §1.5). */
const pausesMs = [100, 1_000];

export function createTransport(options: TransportOptions): Transport {
  const ports: SendPorts & { readonly sleep: (ms: number) => Promise<void> } = {
    // Not `options.fetch ?? fetch` alone: browsers refuse a `fetch` that is called as a method.
    fetch: (input, init) => (options.fetch ?? fetch)(input, init),
    base: toBase(options.url),
    timeoutMs: options.timeoutMs ?? 30_000,
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  };
  const send = async (request: WireRequest) => {
    const requestId = uuidV7();
    return toBody(await attempt(ports, request, { 'wyrd-request-id': requestId }), requestId);
  };
  const tokens = accessTokens(options.credential, send, options.now ?? Date.now);
  return {
    send,
    async call(request, schema) {
      const requestId = uuidV7();
      return decode(schema, toBody(await authorized(ports, tokens, request, requestId), requestId));
    },
  };
}

function toBase(url: string): string {
  const { protocol, hostname, username, password } = new URL(url);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
    throw new TypeError(`${url}: https is needed, except to this machine`);
  }
  if (username !== '' || password !== '') throw new TypeError('a service URL holds no user name or password');
  return url.replace(/\/{1,8}$/, '');
}

/** A 401 means one forced exchange and one repeat, on any method: it never had an effect (docs/spec/wire.md §1.5). */
async function authorized(
  ports: SendPorts & { readonly sleep: (ms: number) => Promise<void> },
  tokens: AccessTokens,
  request: WireRequest,
  requestId: string,
): Promise<WireAnswer> {
  const headers = (token: string) => ({ 'wyrd-request-id': requestId, 'x-wyrd-access-token': `Bearer ${token}` });
  const token = await tokens.get();
  const answer = await attempt(ports, request, headers(token));
  if (answer.status !== 401 || !tokens.renewable) return answer;
  return attempt(ports, request, headers(await tokens.get(token)));
}

async function attempt(
  ports: SendPorts & { readonly sleep: (ms: number) => Promise<void> },
  request: WireRequest,
  headers: Readonly<Record<string, string>>,
): Promise<WireAnswer> {
  for (let tries = 0; ; tries += 1) {
    const answer = await sendOnce(ports, request, headers);
    const pause = pausesMs[tries];
    if (pause === undefined || !mayRetry(request, answer)) {
      if ('status' in answer) return answer;
      throw answer.error;
    }
    await ports.sleep(pause);
    request.signal?.throwIfAborted();
  }
}

function mayRetry(request: WireRequest, answer: WireAnswer | NoAnswer): boolean {
  if (!('status' in answer)) return answer.kind === 'not_sent' || request.repeatable;
  return request.repeatable && (answer.status === 408 || answer.status === 429 || answer.status >= 500);
}

function toBody({ status, body }: WireAnswer, requestId: string): unknown {
  if (status >= 200 && status < 300) return body;
  throw toTouchstoneError(status, body, requestId);
}
