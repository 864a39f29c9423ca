import type { ErrorCode } from '#contract/errors.ts';
import type { Finding, References } from '../types.ts';
import type { FindConnection } from './operator-rules.ts';
import type { VerifierFacts } from './verifier-facts.ts';

/** What the checks of one declaration share. */
export interface Sink {
  readonly references: References;
  /** Absent: connections are not looked at (a dry check without a tenant). */
  readonly connections?: FindConnection | undefined;
  /** Of each Verifier, read once however many bindings name it. */
  readonly facts: Map<string, VerifierFacts>;
  readonly findings: Finding[];
}

export function refuse(sink: Sink, code: ErrorCode, rule: string, path: string, message: string): void {
  sink.findings.push({ code, rule, path, message, details: { field: path } });
}
