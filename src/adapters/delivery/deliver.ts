import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Deliver, DeliveryReply, DeliveryRequest } from '#service/ports/deliver.ts';
import type { Clock } from '#service/ports.ts';
import { type Address, type Exchange, type Exchanged, exchange } from './exchange.ts';
import { isPublicAddress, type ScreenOptions } from './screen-address.ts';

export interface DeliverOptions extends ScreenOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** All addresses of a name; rejects when there are none. */
  readonly resolve?: (host: string) => Promise<readonly Address[]>;
  /** In place of the network: tests lead public addresses to a server of theirs. */
  readonly exchange?: (given: Exchange, signal: AbortSignal) => Promise<Exchanged>;
}

const maxRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Requests to screened addresses over Node's own client (docs/spec/background.md §9.5). */
export function createDeliver(options: DeliverOptions): Deliver {
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      const over = new AbortController();
      const timer = new AbortController();
      const late = options.clock.sleep(request.timeout_ms, timer.signal).then(
        (): DeliveryReply => ({ kind: 'timed_out' }),
        () => new Promise<never>(() => {}),
      );
      const both = AbortSignal.any([signal, over.signal]);
      try {
        const reply = await Promise.race([late, follow(options, request, both), whenAborted(signal, over.signal)]);
        signal.throwIfAborted();
        return reply;
      } finally {
        timer.abort();
        over.abort();
      }
    },
  };
}

/** A look-up of a name cannot be aborted: its end is not waited for. */
function whenAborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over });
  });
}

interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly body: string | null;
}

async function follow(options: DeliverOptions, request: DeliveryRequest, signal: AbortSignal): Promise<DeliveryReply> {
  const { origin } = new URL(request.url);
  let hop: Hop = { url: new URL(request.url), method: request.method, body: request.body };
  for (let redirected = 0; ; redirected += 1) {
    const addresses = await screened(options, hop.url);
    if (addresses === 'unknown') return { kind: 'unreachable' };
    if (addresses === 'refused') return { kind: 'rejected' };
    const answer = await tried(options, { ...hop, headers: request.headers, addresses }, signal);
    if (answer === null) return { kind: 'unreachable' };
    const next = answer.status === request.expect_status ? null : nextHop(answer, hop);
    if (next === null) {
      return { kind: 'answer', status: answer.status, retry_after: answer.retry_after, body: answer.body };
    }
    if (leaves(next.url, origin) || redirected === maxRedirects) return { kind: 'rejected' };
    hop = next;
  }
}

function leaves({ origin, username, password }: URL, from: string): boolean {
  return origin !== from || username !== '' || password !== '';
}

/** Null: not reached, or broken off. */
async function tried(options: DeliverOptions, given: Exchange, signal: AbortSignal): Promise<Exchanged | null> {
  try {
    return await (options.exchange ?? exchange)(given, signal);
  } catch {
    return null;
  }
}

/** Null: no redirect, or one without a usable place. As every client does it, only 307 and 308 keep a POST (RFC 9110 §15.4). */
function nextHop({ status, location }: Exchanged, { url: from, method, body }: Hop): Hop | null {
  if (!redirects.has(status) || location === null || !URL.canParse(location, from)) return null;
  const url = new URL(location, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const becomesGet = status === 303 || (status < 303 && method === 'POST');
  return becomesGet ? { url, method: 'GET', body: null } : { url, method, body };
}

/** All addresses of the host, when every one of them may be called. */
async function screened(options: DeliverOptions, url: URL): Promise<readonly Address[] | 'unknown' | 'refused'> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  let addresses: readonly Address[];
  try {
    addresses =
      family === 0 ? await (options.resolve ?? resolveAll)(host) : [{ address: host, family: family === 4 ? 4 : 6 }];
  } catch {
    return 'unknown';
  }
  if (addresses.length === 0) return 'unknown';
  return addresses.every(({ address }) => isPublicAddress(address, options)) ? addresses : 'refused';
}

async function resolveAll(host: string): Promise<readonly Address[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
