import type { Json, JsonObject } from '#contract/json.ts';

/** What went wrong on this side of the wire: there is no problem document to quote. */
export type LocalErrorCode =
  | 'TOUCHSTONE_CLIENT_NO_CONNECTION'
  | 'TOUCHSTONE_CLIENT_TIMEOUT'
  | 'TOUCHSTONE_CLIENT_BAD_ANSWER';

/** One refused place of a declaration (docs/spec/verification.md §14.1), as the service reported it. */
export interface ReportedFinding {
  readonly code: string;
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly severity?: 'warning';
}

interface ErrorFields {
  /** A code of docs/spec/wire.md §3, one that this client does not know yet, or a `LocalErrorCode`. */
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly detail: string;
  readonly details?: JsonObject | undefined;
  readonly remediation?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Every failure of a call. A failed verdict is none: it is a result (docs/spec/wire.md §6.2). */
export class TouchstoneError extends Error {
  override readonly name = 'TouchstoneError';
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly details: JsonObject;
  readonly remediation: string | undefined;
  readonly requestId: string | undefined;

  constructor(fields: ErrorFields, options?: { readonly cause?: unknown }) {
    super(`${fields.code}: ${fields.detail}`, options);
    this.code = fields.code;
    this.status = fields.status;
    this.detail = fields.detail;
    this.details = fields.details ?? {};
    this.remediation = fields.remediation;
    this.requestId = fields.requestId;
  }

  /** Every finding of a refused declaration; empty for other failures. */
  get findings(): readonly ReportedFinding[] {
    const listed = this.details.findings;
    return Array.isArray(listed) ? listed.flatMap(toFinding) : [];
  }
}

function toFinding(value: Json): readonly ReportedFinding[] {
  if (!isObject(value)) return [];
  const { code, path, rule, message, severity } = value;
  if (typeof code !== 'string' || typeof path !== 'string') return [];
  return [
    {
      code,
      path,
      rule: typeof rule === 'string' ? rule : '',
      message: typeof message === 'string' ? message : '',
      ...(severity === 'warning' && { severity }),
    },
  ];
}

/** A failure from the answer's status and body; both are the other side's, so nothing is taken for granted. */
export function toTouchstoneError(status: number, body: unknown, requestId: string): TouchstoneError {
  const problem = isObject(body) ? body : {};
  const text = (name: string) => (typeof problem[name] === 'string' ? problem[name] : undefined);
  return new TouchstoneError({
    status,
    code: text('code') ?? `TOUCHSTONE_${status}_UNKNOWN`,
    // A refused token exchange speaks OAuth (docs/spec/wire.md §2.2).
    detail: text('detail') ?? text('error_description') ?? text('title') ?? `the service answered ${status}`,
    details: isObject(problem.details) ? problem.details : undefined,
    remediation: text('remediation'),
    requestId,
  });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
