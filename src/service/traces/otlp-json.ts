import { z } from 'zod';
import type { Json, JsonObject } from '#contract/json.ts';
import { parseJson } from '#engine/values/parse-json.ts';
import {
  MalformedOtlp,
  maxValueDepth,
  type ReceivedSpan,
  requireIds,
  toAttributes,
  toDouble,
  toInteger,
  toKind,
  toStatus,
} from './otlp-values.ts';

/** Lists in an attribute value add two levels each: `{arrayValue: {values: […]}}`. */
const maxDepth = 16 + 4 * maxValueDepth;

/** 64-bit numbers are decimal text in OTLP/JSON; many exporters write numbers. */
const digits = z.union([z.string().regex(/^-?[0-9]{1,20}$/), z.number().int()]).transform(String);
const count = z.number().int().min(0).max(4_294_967_295);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).nullish();
/** An empty id is an absent one. */
const hexId = z
  .string()
  .max(64)
  .transform((text) => text.toLowerCase());
const anyObject = z.record(z.string(), z.unknown());

const pairSchema = z.looseObject({ key: z.string(), value: anyObject.nullish() });
const kindNames = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const statusNames = ['UNSET', 'OK', 'ERROR'];
/** The number of an enumeration, or its name, which some exporters write. */
const enumeration = (prefix: string, names: readonly string[]) =>
  z
    .union([z.number().int(), z.string().max(64)])
    .transform((value) => (typeof value === 'number' ? value : names.indexOf(value.replace(prefix, ''))));

const spanSchema = z.looseObject({
  traceId: hexId,
  spanId: hexId,
  parentSpanId: hexId.nullish(),
  name: z.string().nullish(),
  kind: enumeration('SPAN_KIND_', kindNames).nullish(),
  startTimeUnixNano: digits.nullish(),
  endTimeUnixNano: digits.nullish(),
  attributes: list(pairSchema),
  events: list(
    z.looseObject({
      timeUnixNano: digits.nullish(),
      name: z.string().nullish(),
      attributes: list(pairSchema),
      droppedAttributesCount: count.nullish(),
    }),
  ),
  links: list(
    z.looseObject({
      traceId: hexId,
      spanId: hexId,
      traceState: z.string().nullish(),
      flags: count.nullish(),
      attributes: list(pairSchema),
    }),
  ),
  status: z
    .looseObject({ code: enumeration('STATUS_CODE_', statusNames).nullish(), message: z.string().nullish() })
    .nullish(),
});

const requestSchema = z.looseObject({
  resourceSpans: list(z.looseObject({ scopeSpans: list(z.looseObject({ spans: list(spanSchema) })) })),
});

/** The spans of an OTLP/JSON request. Throws a MalformedOtlp; the text is hostile. */
export function readJson(text: string): readonly ReceivedSpan[] {
  const reading = parseJson(text, { maxDepth, integers: 'exact' });
  if (!reading.ok) throw new MalformedOtlp(`the body is not acceptable JSON: ${reading.message}`);
  const parsed = requestSchema.safeParse(reading.value);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.map(String).join('/') ?? '';
    throw new MalformedOtlp(`the body is no ExportTraceServiceRequest at /${path.slice(0, 200)}`);
  }
  const scopes = (parsed.data.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans ?? []);
  return scopes.flatMap(({ spans }) => spans ?? []).map((span) => requireIds(toSpan(span)));
}

function toSpan(span: z.infer<typeof spanSchema>): ReceivedSpan {
  const { status, kind } = span;
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    ...(span.parentSpanId ? { parent_span_id: span.parentSpanId } : {}),
    name: span.name ?? '',
    kind: toKind(kind ?? 0),
    start_unix_nano: span.startTimeUnixNano ?? '0',
    end_unix_nano: span.endTimeUnixNano ?? '0',
    ...(status ? { status: toStatus(status.code ?? 0, status.message ?? '') } : {}),
    attributes: attributesOf(span.attributes),
    events: (span.events ?? []).map((event) => ({
      unix_nano: event.timeUnixNano ?? '0',
      name: event.name ?? '',
      attributes: attributesOf(event.attributes),
      dropped_attributes_count: event.droppedAttributesCount ?? 0,
    })),
    links: (span.links ?? []).map((link) => ({
      trace_id: link.traceId,
      span_id: link.spanId,
      trace_state: link.traceState ?? '',
      flags: link.flags ?? 0,
      attributes: attributesOf(link.attributes),
    })),
  };
}

function attributesOf(pairs: readonly z.infer<typeof pairSchema>[] | null | undefined): JsonObject {
  return toAttributes((pairs ?? []).map(({ key, value }) => [key, valueOfAny(value ?? {}, 0)] as const));
}

function valueOfAny(any: Readonly<Record<string, unknown>>, depth: number): Json {
  if (depth > maxValueDepth) throw new MalformedOtlp('an attribute is too deep');
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = any;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (intValue !== undefined) return integerOf(intValue);
  if (typeof doubleValue === 'number') return toDouble(doubleValue);
  // Numbers that JSON has no form for stand as their names.
  if (typeof doubleValue === 'string') return doubleValue;
  if (typeof bytesValue === 'string') return bytesValue;
  if (isObject(arrayValue)) return objectsOf(arrayValue.values).map((value) => valueOfAny(value, depth + 1));
  if (isObject(kvlistValue)) {
    const pairs = objectsOf(kvlistValue.values).map(
      ({ key, value }) => [String(key), valueOfAny(isObject(value) ? value : {}, depth + 1)] as const,
    );
    return toAttributes(pairs);
  }
  return null;
}

function integerOf(value: unknown): Json {
  const parsed = digits.safeParse(value);
  if (!parsed.success) throw new MalformedOtlp('an integer is none');
  return toInteger(BigInt(parsed.data));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
