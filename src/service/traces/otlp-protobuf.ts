import { PbfReader } from 'pbf';
import type { Json } from '#contract/json.ts';
import type { SpanRecord } from '#engine/trace/assemble.ts';
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

/**
 * The spans of an `ExportTraceServiceRequest` (opentelemetry-proto, trace/v1). Unknown fields are passed over. Throws a
 * MalformedOtlp; the bytes are hostile.
 */
export function readProtobuf(bytes: Uint8Array): readonly ReceivedSpan[] {
  const spans: ReceivedSpan[] = [];
  try {
    const reader = new PbfReader(bytes);
    eachMessage(reader, 1, reader.length, (resource, end) =>
      eachMessage(resource, 2, end, (scope, scopeEnd) =>
        eachMessage(scope, 2, scopeEnd, (span, spanEnd) => spans.push(requireIds(readSpan(span, spanEnd)))),
      ),
    );
  } catch (error) {
    if (error instanceof MalformedOtlp) throw error;
    throw new MalformedOtlp('the body is no ExportTraceServiceRequest', { cause: error });
  }
  return spans;
}

type Message = (reader: PbfReader, end: number) => void;

/** Reads the messages of one field; everything else is passed over. */
function eachMessage(reader: PbfReader, field: number, end: number, read: Message): void {
  fields(reader, end, (tag) => {
    if (tag === field) nested(reader, end, read);
  });
}

/** A field that claims to be longer than what holds it would be read into its neighbour. */
function nested(reader: PbfReader, end: number, read: Message): void {
  const length = reader.readVarint();
  const own = reader.pos + length;
  if (own > end) throw new MalformedOtlp('a field is longer than its message');
  read(reader, own);
  reader.pos = own;
}

function fields(reader: PbfReader, end: number, read: (tag: number) => void): void {
  reader.readFields((tag) => read(tag), undefined, end);
  if (reader.pos > end) throw new MalformedOtlp('a field is longer than its message');
}

type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] };

function readSpan(reader: PbfReader, end: number): ReceivedSpan {
  const attributes: [string, Json][] = [];
  const events: NonNullable<SpanRecord['events']>[number][] = [];
  const links: NonNullable<SpanRecord['links']>[number][] = [];
  const span: Mutable<ReceivedSpan> = { trace_id: '', span_id: '', name: '', start_unix_nano: '0', end_unix_nano: '0' };
  const take: Readonly<Record<number, () => void>> = {
    1: () => (span.trace_id = readHex(reader)),
    2: () => (span.span_id = readHex(reader)),
    4: () => (span.parent_span_id = readHex(reader)),
    5: () => (span.name = reader.readString()),
    6: () => (span.kind = toKind(reader.readVarint())),
    7: () => (span.start_unix_nano = readNanoseconds(reader)),
    8: () => (span.end_unix_nano = readNanoseconds(reader)),
    9: () => nested(reader, end, (of, own) => attributes.push(readPair(of, own, 0))),
    11: () => nested(reader, end, (of, own) => events.push(readEvent(of, own))),
    13: () => nested(reader, end, (of, own) => links.push(readLink(of, own))),
    15: () => nested(reader, end, (of, own) => (span.status = readStatus(of, own))),
  };
  fields(reader, end, (tag) => take[tag]?.());
  return { ...span, attributes: toAttributes(attributes), events, links };
}

function readEvent(reader: PbfReader, end: number) {
  const attributes: [string, Json][] = [];
  let unix_nano = '0';
  let name = '';
  let dropped = 0;
  fields(reader, end, (tag) => {
    if (tag === 1) unix_nano = readNanoseconds(reader);
    else if (tag === 2) name = reader.readString();
    else if (tag === 3) nested(reader, end, (of, own) => attributes.push(readPair(of, own, 0)));
    else if (tag === 4) dropped = reader.readVarint();
  });
  return { unix_nano, name, attributes: toAttributes(attributes), dropped_attributes_count: dropped };
}

function readLink(reader: PbfReader, end: number) {
  const attributes: [string, Json][] = [];
  const link = { trace_id: '', span_id: '', trace_state: '', flags: 0 };
  fields(reader, end, (tag) => {
    if (tag === 1) link.trace_id = readHex(reader);
    else if (tag === 2) link.span_id = readHex(reader);
    else if (tag === 3) link.trace_state = reader.readString();
    else if (tag === 4) nested(reader, end, (of, own) => attributes.push(readPair(of, own, 0)));
    else if (tag === 6) link.flags = reader.readFixed32();
  });
  return { ...link, attributes: toAttributes(attributes) };
}

function readStatus(reader: PbfReader, end: number): NonNullable<SpanRecord['status']> {
  let message = '';
  let code = 0;
  fields(reader, end, (tag) => {
    if (tag === 2) message = reader.readString();
    else if (tag === 3) code = reader.readVarint();
  });
  return toStatus(code, message);
}

function readPair(reader: PbfReader, end: number, depth: number): [string, Json] {
  let key = '';
  let value: Json = null;
  fields(reader, end, (tag) => {
    if (tag === 1) key = reader.readString();
    else if (tag === 2) nested(reader, end, (of, own) => (value = readValue(of, own, depth)));
  });
  return [key, value];
}

/** An `AnyValue`: of several set members the last counts. */
function readValue(reader: PbfReader, end: number, depth: number): Json {
  if (depth > maxValueDepth) throw new MalformedOtlp('an attribute is too deep');
  let value: Json = null;
  const take: Readonly<Record<number, () => void>> = {
    1: () => (value = reader.readString()),
    2: () => (value = reader.readBoolean()),
    3: () => (value = toInteger(readSigned64(reader))),
    4: () => (value = toDouble(reader.readDouble())),
    5: () => nested(reader, end, (of, own) => (value = readList(of, own, depth + 1))),
    6: () => nested(reader, end, (of, own) => (value = readMap(of, own, depth + 1))),
    7: () => (value = Buffer.from(reader.readBytes()).toString('base64')),
  };
  fields(reader, end, (tag) => take[tag]?.());
  return value;
}

function readList(reader: PbfReader, end: number, depth: number): Json {
  const values: Json[] = [];
  eachMessage(reader, 1, end, (of, own) => values.push(readValue(of, own, depth)));
  return values;
}

function readMap(reader: PbfReader, end: number, depth: number): Json {
  const pairs: [string, Json][] = [];
  eachMessage(reader, 1, end, (of, own) => pairs.push(readPair(of, own, depth)));
  return toAttributes(pairs);
}

function readHex(reader: PbfReader): string {
  return Buffer.from(reader.readBytes()).toString('hex');
}

/** Nanoseconds need all 64 bits; the reader's own number has 53. */
function readNanoseconds(reader: PbfReader): string {
  const { pos, length } = reader;
  if (pos + 8 > length) throw new MalformedOtlp('the body ends inside a time');
  reader.pos = pos + 8;
  return String(reader.dataView.getBigUint64(pos, true));
}

/** A varint of ten bytes at most, as two's complement. */
function readSigned64(reader: PbfReader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buf[reader.pos];
    if (byte === undefined || reader.pos >= reader.length) break;
    reader.pos += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, value);
  }
  throw new MalformedOtlp('an integer does not end');
}
