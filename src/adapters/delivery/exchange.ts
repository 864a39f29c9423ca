import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Screened; the only ones that are called. */
  readonly addresses: readonly Address[];
  /** Certificates trusted beside those of Node; tests have their own. */
  readonly ca?: string | undefined;
}

export interface Exchanged {
  readonly status: number;
  readonly location: string | null;
  readonly retry_after: string | null;
  readonly body: string;
}

const longestBody = 65_536;
const longestHead = 32_768;

/** One request and its answer. Rejects when the other side cannot be reached or breaks off, or with the signal's reason. */
export function exchange(given: Exchange, signal: AbortSignal): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let request: ClientRequest;
    try {
      request = open(given, signal);
    } catch (error) {
      return reject(error);
    }
    request.on('error', reject);
    request.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('an answer in another protocol'));
    });
    request.on('response', (answer) => {
      readBody(answer).then((body) => {
        request.destroy();
        const { location, 'retry-after': retryAfter } = answer.headers;
        resolve({
          status: answer.statusCode ?? 0,
          location: location ?? null,
          retry_after: retryAfter ?? null,
          body,
        });
      }, reject);
    });
    request.end(given.body ?? undefined);
  });
}

function open({ method, url, headers, body, addresses, ca }: Exchange, signal: AbortSignal): ClientRequest {
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const length = body === null ? noLength(method) : { 'content-length': String(Buffer.byteLength(body)) };
  // An agent of its own: nothing is kept open, and no proxy is taken from the environment.
  const options = {
    method,
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { 'user-agent': 'touchstone', accept: '*/*', ...headers, ...length, host: url.host, connection: 'close' },
    lookup: fixedLookup(addresses),
    maxHeaderSize: longestHead,
    signal,
  };
  if (!isTls) return requestHttp({ ...options, agent: new HttpAgent({ keepAlive: false }) });
  const tls = { servername: isIP(host) === 0 ? host : '', ...(ca === undefined ? {} : { ca }) };
  return requestHttps({ ...options, ...tls, agent: new HttpsAgent({ keepAlive: false }) });
}

/** Servers wait for a body of these methods unless told that there is none. */
function noLength(method: string): Record<string, string> {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? { 'content-length': '0' } : {};
}

/** No second look-up: what was screened is what is called. An address in the URL never comes here; it was screened itself. */
function fixedLookup(addresses: readonly Address[]): LookupFunction {
  const [first] = addresses;
  return (_host, options, done) => {
    if (options.all) return done(null, [...addresses]);
    done(null, first?.address ?? '', first?.family);
  };
}

async function readBody(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= longestBody) break;
  }
  return Buffer.concat(chunks).subarray(0, longestBody).toString('utf8');
}
