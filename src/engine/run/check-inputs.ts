import { type CardRef, cardRefSchema } from '#contract/cards/reference.ts';
import type { ErrorCode } from '#contract/errors.ts';
import { type MediaFormat, toMediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Slot, Verifier } from '../plan.ts';
import { compareBytes } from '../values/canonical.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { compileSchema, validate } from '../values/schema.ts';

/** An input as the caller declared it, form and slot checked, nothing looked up yet (docs/spec/wire.md §6.1). */
export type DeclaredInput =
  | { readonly kind: 'json'; readonly value: Json }
  | {
      readonly kind: 'file';
      readonly sha256: string;
      readonly size_bytes: number;
      readonly format: MediaFormat;
      readonly filename?: string;
    }
  | { readonly kind: 'artifact'; readonly artifact: CardRef; readonly path?: string }
  | { readonly kind: 'trace'; readonly trace_id: string };

export interface InputIssue {
  readonly code: Extract<ErrorCode, 'WYRD_VERIFICATION_400_INPUT_INVALID' | 'WYRD_VERIFICATION_413_INPUT_TOO_LARGE'>;
  readonly slot: string;
  /** JSON Pointer into the value, where the schema broke. */
  readonly pointer?: string;
  readonly message: string;
}

export interface CheckedInputs {
  /** Slot names in byte order: the first one decides the answer's code. Empty: everything may be pinned. */
  readonly issues: readonly InputIssue[];
  readonly declared: ReadonlyMap<string, DeclaredInput>;
}

/**
 * Checks what a caller sent against the slots (docs/spec/verification.md §3.3). `origin` group: the server itself
 * filled the source slots; a caller must not.
 */
export function checkInputs(verifier: Verifier, inputs: JsonObject, origin: 'caller' | 'group'): CheckedInputs {
  const issues: InputIssue[] = [];
  const declared = new Map<string, DeclaredInput>();
  for (const name of Object.keys(inputs).sort(compareBytes)) {
    const slot = Object.hasOwn(verifier.slots, name) ? verifier.slots[name] : undefined;
    const checked =
      slot === undefined ? invalid('the Verifier declares no such slot') : checkSlot(slot, inputs[name], origin);
    if ('issue' in checked) issues.push({ slot: name, ...checked.issue });
    else declared.set(name, checked.declared);
  }
  return { issues, declared };
}

type Checked = { readonly declared: DeclaredInput } | { readonly issue: Omit<InputIssue, 'slot'> };

function invalid(message: string, pointer?: string): Checked {
  return { issue: { code: 'WYRD_VERIFICATION_400_INPUT_INVALID', message, ...(pointer !== undefined && { pointer }) } };
}

function checkSlot(slot: Slot, input: Json | undefined, origin: 'caller' | 'group'): Checked {
  if (!isObject(input)) return invalid('an input is an object with a kind');
  const declared = decodeInput(input);
  if (typeof declared === 'string') return invalid(declared);
  switch (slot.type) {
    case 'json':
      return declared.kind === 'json' ? checkJson(slot.schema, declared) : invalid('the slot takes kind json');
    case 'source':
      if (origin === 'caller') return invalid('a source slot is filled by the server');
      return declared.kind === 'json' && Array.isArray(declared.value)
        ? { declared }
        : invalid('the slot takes a list');
    case 'media':
      return checkMediaSlot(slot, declared);
    case 'trace':
      return declared.kind === 'trace' ? { declared } : invalid('the slot takes kind trace');
    case 'samples':
      return invalid('a samples slot is fed by observations');
  }
}

/** An Artifact's file is looked at once it is resolved. */
function checkMediaSlot(slot: Extract<Slot, { type: 'media' }>, declared: DeclaredInput): Checked {
  if (declared.kind === 'artifact') return { declared };
  if (declared.kind !== 'file') return invalid('the slot takes kind file or artifact');
  return checkMedia(slot, declared) ?? { declared };
}

function checkJson(
  schema: JsonObject | boolean | undefined,
  declared: Extract<DeclaredInput, { kind: 'json' }>,
): Checked {
  if (schema === undefined) return { declared };
  const compiled = compileSchema(schema);
  if (!compiled.ok) return invalid('the schema of the slot does not compile', '');
  const [violation] = validate(compiled.schema, declared.value);
  if (violation === undefined) return { declared };
  return invalid(`the value breaks the slot schema (${violation.keyword})`, violation.pointer);
}

/** Format and size against the slot; also asked for an Artifact's file once it is resolved. Null: accepted. */
export function checkMedia(
  slot: Extract<Slot, { type: 'media' }>,
  media: { readonly format: MediaFormat; readonly size_bytes: number },
): { readonly issue: Omit<InputIssue, 'slot'> } | null {
  if (!slot.formats.includes(media.format)) {
    return {
      issue: { code: 'WYRD_VERIFICATION_400_INPUT_INVALID', message: `the slot takes no ${media.format} file` },
    };
  }
  if (slot.max_bytes === undefined || media.size_bytes <= slot.max_bytes) return null;
  return {
    issue: { code: 'WYRD_VERIFICATION_413_INPUT_TOO_LARGE', message: `the file is above ${slot.max_bytes} bytes` },
  };
}

/** The closed shapes of wire.md §6.1; a text says what is wrong. */
function decodeInput(input: JsonObject): DeclaredInput | string {
  const kind = memberOf(input, 'kind');
  const allowed = typeof kind === 'string' && Object.hasOwn(members, kind) ? members[kind] : undefined;
  if (allowed === undefined) return 'the kind is json, file, artifact or trace';
  if (Object.keys(input).some((name) => !allowed.includes(name)))
    return `kind ${kind} has the members ${allowed.join(', ')}`;
  switch (kind) {
    case 'json':
      return Object.hasOwn(input, 'value') ? { kind, value: input.value ?? null } : 'kind json needs a value';
    case 'file':
      return decodeFile(input);
    case 'artifact':
      return decodeArtifact(input);
    default:
      return decodeTrace(input);
  }
}

const members: Readonly<Record<string, readonly string[]>> = {
  json: ['kind', 'value'],
  file: ['kind', 'sha256', 'size_bytes', 'format', 'filename'],
  artifact: ['kind', 'artifact', 'path'],
  trace: ['kind', 'trace_id'],
};

function decodeFile(input: JsonObject): DeclaredInput | string {
  const sha256 = memberOf(input, 'sha256');
  const size = memberOf(input, 'size_bytes');
  const format = memberOf(input, 'format');
  const filename = memberOf(input, 'filename') ?? null;
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/u.test(sha256)) return 'sha256 is 64 lower hex digits';
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return 'size_bytes is a whole number of bytes';
  const known = typeof format === 'string' ? toMediaFormat(format) : undefined;
  if (known === undefined) return 'format is no known media format';
  if (filename !== null && (typeof filename !== 'string' || filename.length > 1024))
    return 'filename is a text of at most 1,024 characters';
  return { kind: 'file', sha256, size_bytes: size, format: known, ...(filename !== null && { filename }) };
}

function decodeArtifact(input: JsonObject): DeclaredInput | string {
  const parsed = cardRefSchema.safeParse(memberOf(input, 'artifact'));
  const path = memberOf(input, 'path') ?? null;
  if (!parsed.success || parsed.data.kind !== 'Artifact') return 'artifact is a reference to an Artifact Card';
  if (path !== null && typeof path !== 'string') return 'path is a text';
  return { kind: 'artifact', artifact: parsed.data, ...(path !== null && { path }) };
}

function decodeTrace(input: JsonObject): DeclaredInput | string {
  const id = memberOf(input, 'trace_id');
  if (typeof id !== 'string' || !/^[0-9a-fA-F]{32}$/u.test(id) || /^0{32}$/u.test(id))
    return 'trace_id is 32 hex digits, not all zero';
  return { kind: 'trace', trace_id: id.toLowerCase() };
}
