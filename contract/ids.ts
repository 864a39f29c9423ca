/**
 * Grammars of the ids that cross a border (docs/spec/wire.md §7). Every expression is linear: one class, one bound.
 */

/** UUIDv7, lower case: Card uids, executions, bindings, dispatches, connections, requests, records. */
export const uuidV7Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Card names, spaces, connections. */
export const cardNamePattern = /^[a-z][a-z0-9_-]{2,63}$/;
/** Features of samples and columns of baselines. */
export const featurePattern = /^[a-z][a-z0-9_-]{0,63}$/;
export const slotPattern = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
/** Steps and requirements. */
export const blockIdPattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,127}$/;
export const tenantPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const idempotencyKeyPattern = /^\S{8,256}$/;
export const sha256HexPattern = /^[0-9a-f]{64}$/;
export const sha256Base64Pattern = /^[A-Za-z0-9+/]{43}=$/;
const traceIdPattern = /^[0-9a-f]{32}$/;
/** One segment of an artifact's `relative_path` (docs/spec/wire.md §4.5). */
const pathSegmentPattern = /^[A-Za-z0-9._-]+$/;
const aliasPattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,127}$/;
/** Major.minor.patch with optional pre-release and build parts. */
const fullVersionPattern =
  /^(?:0|[1-9]\d{0,9})\.(?:0|[1-9]\d{0,9})\.(?:0|[1-9]\d{0,9})(?:-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?$/;
const versionLinePattern = /^(?:0|[1-9]\d{0,9})(?:\.(?:0|[1-9]\d{0,9}))?$/;

/** The slot name that the wire keeps for itself. */
export const reservedSlot = 'group_id';
/** The subject occurrence of an owner itself; no component may have it as alias. */
export const ownerOccurrence = '$owner';

export function isUuidV7(text: string): boolean {
  return uuidV7Pattern.test(text);
}

/** A trace id as stored: 32 lower hex digits, not all zero. */
export function isTraceId(text: string): boolean {
  return traceIdPattern.test(text) && !/^0+$/.test(text);
}

/** A trace id as a caller may write it, in any case, brought to its stored form; `undefined` when it is none. */
export function toTraceId(text: string): string | undefined {
  const lower = text.length === 32 ? text.toLowerCase() : '';
  return isTraceId(lower) ? lower : undefined;
}

/** `wyu_` and a UUIDv7. */
export function isUploadId(text: string): boolean {
  return text.startsWith('wyu_') && isUuidV7(text.slice(4));
}

/** Any non-empty text of at most 256 characters; clients make UUIDv7. */
export function isRunId(text: string): boolean {
  return text.length > 0 && text.length <= 256 && text.isWellFormed();
}

/** 1–256 UTF-8 bytes without white space or control characters. */
export function isGroupId(text: string): boolean {
  if (text.length === 0 || text.length > 256 || !text.isWellFormed()) return false;
  return new TextEncoder().encode(text).length <= 256 && !/[\s\p{Cc}]/u.test(text);
}

export function isIdempotencyKey(text: string): boolean {
  return idempotencyKeyPattern.test(text);
}

export function isFullVersion(text: string): boolean {
  return text.length <= 128 && fullVersionPattern.test(text);
}

/** `"1"` or `"1.2"`: the server picks the next version within that line (wire.md §4.2). */
export function isVersionLine(text: string): boolean {
  return versionLinePattern.test(text);
}

/** Aliases of a Service's components: the grammar of block ids [ours]. */
export function isComponentAlias(text: string): boolean {
  return aliasPattern.test(text);
}

/** A clean relative path of an artifact file: segments joined by `/`, none `.` or `..`, at most 1,024 characters. */
export function isRelativePath(text: string): boolean {
  if (text.length === 0 || text.length > 1024) return false;
  return text.split('/').every((segment) => pathSegmentPattern.test(segment) && segment !== '.' && segment !== '..');
}
