import { basename, extname, resolve } from 'node:path';
import { isJsonObject } from '#contract/cards/shared.ts';
import { type MediaFormat, toMediaFormat } from '#contract/formats.ts';
import { toTraceId } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { parseJson } from '#engine/values/parse-json.ts';
import type { EvidenceFile, SlotInput } from '#sdk/index.ts';
import { readBytes, readFailures, readText } from '../load/read-text.ts';
import { UsageError } from '../usage-error.ts';
import type { HeldEvidence } from './cited-text.ts';
import type { SlotArgument } from './parse-slots.ts';

/** docs/spec/wire.md §5.2. */
const maxFileBytes = 104_857_600;
/** docs/spec/wire.md §6.2. */
const maxJsonBytes = 1_048_576;
const limits = { maxDepth: 128 };

/** A slot's input, and what to show when a judge cites it. */
export interface BuiltInput {
  readonly slot: string;
  readonly held?: HeldEvidence;
  readonly input:
    | { readonly kind: 'ready'; readonly value: SlotInput }
    | { readonly kind: 'upload'; readonly file: EvidenceFile };
}

/**
 * Turns the arguments into what the Verifier's slots take. A slot that it does not declare is sent as typed: the service
 * refuses it by name. Throws a UsageError that says what to write instead.
 */
export async function buildInputs(
  slots: readonly SlotArgument[],
  declared: JsonObject,
  workingFolder: string,
): Promise<readonly BuiltInput[]> {
  return Promise.all(
    slots.map((argument) => {
      const slot = Object.hasOwn(declared, argument.slot) ? declared[argument.slot] : undefined;
      return buildInput(argument, slot, workingFolder);
    }),
  );
}

async function buildInput(argument: SlotArgument, declared: Json | undefined, folder: string): Promise<BuiltInput> {
  const type =
    declared !== undefined && isJsonObject(declared) ? declared.type : typeof declared === 'string' ? 'source' : 'json';
  switch (type) {
    case 'media':
      return mediaInput(argument, isJsonObject(declared ?? null) ? (declared as JsonObject) : {}, folder);
    case 'trace':
      return traceInput(argument);
    case 'samples':
    case 'source':
      throw new UsageError(`--slot ${argument.slot}: this slot is filled by the service and takes no value`);
    default:
      return jsonInput(argument, folder);
  }
}

async function jsonInput(argument: SlotArgument, folder: string): Promise<BuiltInput> {
  const value =
    argument.kind === 'value' ? toJson(argument.slot, argument.text, false) : await jsonFile(argument, folder);
  return {
    slot: argument.slot,
    held: { kind: 'json', value },
    input: { kind: 'ready', value: { kind: 'json', value } },
  };
}

async function jsonFile({ slot, path }: Extract<SlotArgument, { kind: 'file' }>, folder: string): Promise<Json> {
  const read = await readText(resolve(folder, path), maxJsonBytes);
  if (!read.ok) throw new UsageError(`--slot ${slot}: ${path}: ${readFailures[read.reason]}`);
  return toJson(slot, read.text, extname(path).toLowerCase() === '.json');
}

/**
 * JSON if it is JSON, else the text itself. What is JSON to most parsers but not to ours (a repeated key, a number that
 * would be rounded) is refused: sent as a text it would be judged as something else than was meant.
 */
function toJson(slot: string, text: string, mustBeJson: boolean): Json {
  const parsed = parseJson(text, limits);
  if (parsed.ok) return parsed.value;
  if (mustBeJson || isLenientJson(text)) {
    throw new UsageError(`--slot ${slot}: not usable JSON (${parsed.reason}); quote it to send it as a text`);
  }
  return text;
}

function isLenientJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function traceInput(argument: SlotArgument): BuiltInput {
  const id = argument.kind === 'value' ? toTraceId(argument.text) : undefined;
  if (id === undefined) throw new UsageError(`--slot ${argument.slot}: a trace slot takes a trace id of 32 hex digits`);
  return { slot: argument.slot, input: { kind: 'ready', value: { kind: 'trace', trace_id: id } } };
}

async function mediaInput(argument: SlotArgument, declared: JsonObject, folder: string): Promise<BuiltInput> {
  const { slot } = argument;
  if (argument.kind === 'value') throw new UsageError(`--slot ${slot}: this slot takes a file, ${slot}=@path`);
  const format = formatOf(argument.path, declared);
  if (format === undefined) {
    const accepted = Array.isArray(declared.formats) ? declared.formats.join(', ') : 'its formats';
    throw new UsageError(`--slot ${slot}: the extension of ${argument.path} names none of ${accepted}`);
  }
  const read = await readBytes(resolve(folder, argument.path), maxFileBytes);
  if (!read.ok) throw new UsageError(`--slot ${slot}: ${argument.path}: ${readFailures[read.reason]}`);
  const held = heldFile(format, read.bytes);
  const file = { bytes: read.bytes, format, filename: basename(argument.path) };
  return { slot, ...(held && { held }), input: { kind: 'upload', file } };
}

/** By the extension; a file without a known one is taken for the slot's only format. */
function formatOf(path: string, { formats }: JsonObject): MediaFormat | undefined {
  const named = /\.tar\.gz$/i.test(path) ? 'tar_gz' : toMediaFormat(extname(path).slice(1));
  if (named !== undefined) return named;
  const [only] = Array.isArray(formats) && formats.length === 1 ? formats : [];
  return typeof only === 'string' ? toMediaFormat(only) : undefined;
}

const lineFormats: ReadonlySet<MediaFormat> = new Set(['text', 'markdown', 'csv', 'html']);

function heldFile(format: MediaFormat, bytes: Uint8Array): HeldEvidence | undefined {
  if (format !== 'json' && !lineFormats.has(format)) return undefined;
  const text = new TextDecoder().decode(bytes);
  if (format !== 'json') return { kind: 'text', text };
  const parsed = parseJson(text, limits);
  return parsed.ok ? { kind: 'json', value: parsed.value } : undefined;
}
