import { TouchstoneError } from './touchstone-error.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A path below the base URL, or an absolute URL of an upload plan. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Sending it twice has the effect of once: it may be tried again after a time-out or a 5xx (docs/spec/wire.md §1.5). */
  readonly repeatable: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** A success is read as it is, not as JSON. */
  readonly accept?: 'bytes';
}

export interface WireAnswer {
  readonly status: number;
  /** Parsed JSON, or the bytes that were asked for; undefined when the body is none of it. */
  readonly body: unknown;
}

export interface SendPorts {
  readonly fetch: typeof fetch;
  /** Origin, with a path prefix or not; no final slash. */
  readonly base: string;
  readonly timeoutMs: number;
}

/** A failure without an answer: whether the request can have reached the service decides who may try again. */
export interface NoAnswer {
  readonly kind: 'not_sent' | 'no_answer';
  readonly error: TouchstoneError;
}

/** Node's codes for a connection that never stood. Browsers say nothing, so there a request counts as sent. */
const neverConnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** One attempt, bounded in time. Redirects are refused: a credential goes nowhere else. The caller's abort is thrown on. */
export async function sendOnce(
  ports: SendPorts,
  request: WireRequest,
  headers: Readonly<Record<string, string>>,
): Promise<WireAnswer | NoAnswer> {
  const limit = AbortSignal.timeout(request.timeoutMs ?? ports.timeoutMs);
  const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
  try {
    const response = await ports.fetch(toUrl(ports.base, request.path), {
      method: request.method,
      headers: {
        accept: request.accept === 'bytes' ? '*/*' : 'application/json',
        ...request.headers,
        ...headers,
      },
      ...(request.body !== undefined && { body: request.body }),
      redirect: 'error',
      signal,
    });
    const isFile = request.accept === 'bytes' && response.ok;
    const bytes = await readBytes(response.body);
    return { status: response.status, body: isFile || bytes === undefined ? bytes : parse(bytes) };
  } catch (error) {
    request.signal?.throwIfAborted();
    return toNoAnswer(error, limit.aborted, ports.base);
  }
}

function toUrl(base: string, path: string): string {
  return path.startsWith('/') ? `${base}${path}` : path;
}

/** Twice the most that a result with all its data comes to (docs/spec/verification.md §16.3). */
const maxAnswerBytes = 67_108_864;

/** Undefined when there are none, or above the limit: what answers may never end. */
async function readBytes(stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array | undefined> {
  if (stream === null) return undefined;
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > maxAnswerBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Undefined when it is no JSON: what answers may be anything. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function toNoAnswer(error: unknown, timedOut: boolean, base: string): NoAnswer {
  const failure = (code: string, detail: string) => new TouchstoneError({ code, status: 0, detail }, { cause: error });
  if (timedOut) {
    return { kind: 'no_answer', error: failure('TOUCHSTONE_CLIENT_TIMEOUT', `no answer from ${base} in time`) };
  }
  const isLost = neverConnected.has(causeCode(error));
  const detail = isLost ? `no connection to ${base}` : `the connection to ${base} failed`;
  return { kind: isLost ? 'not_sent' : 'no_answer', error: failure('TOUCHSTONE_CLIENT_NO_CONNECTION', detail) };
}

function causeCode(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError) return codeOf(cause.errors[0]) ?? codeOf(cause);
  return codeOf(cause);
}

function codeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;
}
