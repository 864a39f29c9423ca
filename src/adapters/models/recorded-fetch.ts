import { createHash } from 'node:crypto';

/** A provider's answer above this is no usable answer (docs/spec/verification.md §16.3). */
const maxResponseBytes = 1024 * 1024;

/** What one exchange with a provider left behind, for the record and for what the library does not tell. */
export interface Exchange {
  request_sha256: string;
  response_sha256: string;
  /** Body of a 2xx answer, parsed; undefined when it is no JSON. */
  response: unknown;
  too_large: boolean;
}

export function newExchange(): Exchange {
  return { request_sha256: '', response_sha256: '', response: undefined, too_large: false };
}

/**
 * A `fetch` that reads at most 1 MiB of the answer and keeps digests of both bodies. Redirects are refused: a provider
 * that sends the credential elsewhere is no provider we know.
 */
export function recordedFetch(exchange: Exchange, base: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    exchange.request_sha256 = digest(typeof init?.body === 'string' ? init.body : '');
    const response = await base(input, { ...init, redirect: 'error' });
    const bytes = await readBounded(response);
    if (bytes === null) {
      exchange.too_large = true;
      return new Response('{}', { status: response.status, headers: { 'content-type': 'application/json' } });
    }
    exchange.response_sha256 = digest(bytes);
    if (response.ok) exchange.response = parse(bytes);
    const headers = new Headers(response.headers);
    // The body is decoded already.
    headers.delete('content-encoding');
    headers.delete('content-length');
    return new Response(bytes, { status: response.status, statusText: response.statusText, headers });
  };
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxResponseBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function digest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
