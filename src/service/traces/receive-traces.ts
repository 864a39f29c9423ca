import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { Principal } from '../auth/principal.ts';
import type { Registry } from '../ports/registry.ts';
import type { SpanBatch, Spans } from '../ports/spans.ts';
import type { Clock } from '../ports.ts';
import { readJson } from './otlp-json.ts';
import { readProtobuf } from './otlp-protobuf.ts';
import { MalformedOtlp, type ReceivedSpan } from './otlp-values.ts';

export interface ReceivePorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly spans: Spans;
}

/** Bytes of a body, packed or not (docs/spec/wire.md §9.6). */
const maxTelemetryBytes = 4 * 1_048_576;

export interface TelemetryBody {
  readonly bytes: Uint8Array;
  readonly content_type: string | null;
  readonly content_encoding: string | null;
}

/** Stores the spans of one export; durable when it resolves. All of it is refused, or none. */
export async function receiveTraces(ports: ReceivePorts, principal: Principal, body: TelemetryBody): Promise<void> {
  const received = await decode(body);
  const spans = await withinScope(ports.registry, principal, received);
  const batches = new Map<string, ReceivedSpan[]>();
  for (const span of spans) {
    const batch = batches.get(span.trace_id);
    if (batch) batch.push(span);
    else batches.set(span.trace_id, [span]);
  }
  await ports.spans.append(principal.tenant, [...batches].map(toBatch), ports.clock.now());
}

function toBatch([trace_id, spans]: readonly [string, readonly ReceivedSpan[]]): SpanBatch {
  return { trace_id, spans: spans.map(({ trace_id: _traceId, ...span }) => span) };
}

async function decode(body: TelemetryBody): Promise<readonly ReceivedSpan[]> {
  const bytes = await inflate(body);
  try {
    if (isJson(body.content_type)) {
      return readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    }
    return readProtobuf(bytes);
  } catch (error) {
    throw malformed(error instanceof MalformedOtlp ? error.message : 'the body is not UTF-8');
  }
}

export function isJson(contentType: string | null): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

function tooLarge(): Problem {
  const detail = `the body is above ${maxTelemetryBytes} bytes unpacked`;
  return new Problem('WYRD_SPEC_413_PAYLOAD_TOO_LARGE', detail, { limit: maxTelemetryBytes });
}

const inflateBounded = promisify(gunzip);

/** Inflates no further than the limit of a body. */
async function inflate({ bytes, content_encoding }: TelemetryBody): Promise<Uint8Array> {
  const encoding = (content_encoding ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return bytes;
  if (encoding !== 'gzip') throw malformed('the body is packed by something else than gzip');
  try {
    return await inflateBounded(bytes, { maxOutputLength: maxTelemetryBytes });
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : malformed('the body is not gzip');
  }
}

function malformed(detail: string): Problem {
  return new Problem('WYRD_VALA_400_OTLP_REQUEST_MALFORMED', detail);
}

const cardAttribute = 'wyrd.card_uid';

/** A Card that is not the caller's to speak for is dropped from its span; the span stays (docs/spec/wire.md §9.6). */
async function withinScope(
  registry: Registry,
  principal: Principal,
  spans: readonly ReceivedSpan[],
): Promise<readonly ReceivedSpan[]> {
  const named = new Set(spans.flatMap(({ attributes = {} }) => cardOf(attributes) ?? []));
  if (named.size === 0) return spans;
  const own = new Set<unknown>();
  for (const uid of [...named].slice(0, mostCards)) {
    const isOther = principal.card_uid !== null && principal.card_uid !== uid;
    if (isUuidV7(uid) && !isOther && (await registry.byUid(principal.tenant, uid)) !== null) own.add(uid);
  }
  return spans.map((span) => {
    const { [cardAttribute]: card, ...attributes } = span.attributes ?? {};
    return card === undefined || own.has(card) ? span : { ...span, attributes };
  });
}

/** An export speaks for few Cards; each costs a read. */
const mostCards = 100;

function cardOf(attributes: Readonly<Record<string, unknown>>): string | undefined {
  const card = Object.hasOwn(attributes, cardAttribute) ? attributes[cardAttribute] : undefined;
  return typeof card === 'string' ? card : undefined;
}
