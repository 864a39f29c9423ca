import { verificationCodes } from './error-codes.ts';
import { governanceCodes } from './error-codes-governance.ts';
import type { Json, JsonObject } from './json.ts';

const rows = { ...verificationCodes, ...governanceCodes } as const;

/** Every code that this service answers with, except those of the OpenWOP routes (docs/spec/openwop.md). */
export type ErrorCode = keyof typeof rows;

export interface ErrorEntry {
  /** HTTP status; always the number inside the code. */
  readonly status: number;
  readonly title: string;
  /** What the caller can do. */
  readonly remediation: string;
  /** The identical request may succeed later. */
  readonly retryable: boolean;
}

function toEntry(code: string, row: readonly [string, string, boolean?]): ErrorEntry {
  const status = Number(/_(\d{3})_/.exec(code)?.[1]);
  const [title, remediation, retryable = status === 429 || status >= 500] = row;
  return { status, title, remediation, retryable };
}

function buildTable(): Readonly<Record<ErrorCode, ErrorEntry>> {
  const table = Object.entries(rows).map(([code, row]) => [code, toEntry(code, row)] as const);
  return Object.fromEntries(table) as Record<ErrorCode, ErrorEntry>;
}

/** The one table of error codes: code → status, title, remediation, retryable (docs/spec/wire.md §3). */
export const errors = buildTable();

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errors, text);
}

/** What a refusal carries besides its code: the members of `details` that the contract reads, and ours. */
export type ProblemDetails = JsonObject;

/** A problem document (docs/spec/wire.md §3.1), without the request's own members. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly details?: ProblemDetails;
  readonly remediation: string;
}

/** A refusal with a code of the table. The one error class that crosses the layers; HTTP writes it as RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ErrorCode;
  readonly status: number;
  /** One sentence about this occurrence; holds no evidence and no secret. */
  readonly detail: string;
  readonly details: ProblemDetails | undefined;

  constructor(code: ErrorCode, detail: string, details?: ProblemDetails, options?: { readonly cause?: unknown }) {
    super(`${code}: ${detail}`, options);
    this.code = code;
    this.status = errors[code].status;
    this.detail = detail;
    this.details = details;
  }
}

export function toProblemDocument(problem: Problem): ProblemDocument {
  const { title, status, remediation } = errors[problem.code];
  return {
    type: `https://touchstone.dev/problems/${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.detail,
    ...(problem.details === undefined ? {} : { details: problem.details }),
    remediation,
  };
}

/** One refused place of a declaration (docs/spec/verification.md §14.1). Warnings never refuse. */
export interface Finding {
  readonly code: ErrorCode;
  /** A JSON Pointer into the Card (rule `shape`), or a path as docs/spec/verification.md §14.3 writes it. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly severity?: 'warning';
  readonly details?: { readonly [name: string]: Json };
}

/** A refusal that reports every finding; the first refusing one is also its code, detail, rule and path. */
export function toProblem(findings: readonly Finding[]): Problem {
  const first = findings.find((finding) => finding.severity === undefined);
  if (first === undefined) return new Problem('WYRD_SPEC_500_INTERNAL', 'a refusal without a finding');
  return new Problem(first.code, first.message, {
    ...first.details,
    rule: first.rule,
    path: first.path,
    findings: findings.map(({ code, path, rule, message, severity }) => ({
      code,
      path,
      rule,
      message,
      ...(severity === undefined ? {} : { severity }),
    })),
  });
}
