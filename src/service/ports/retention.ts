/** How long evidence and results are kept (docs/spec/records.md §5). Records have no end. */
export interface RetentionRules {
  readonly days: number;
  /** Nothing is deleted, neither by age nor on request. */
  readonly legal_hold: boolean;
}

/** Deleting what records do not need. */
export interface Retention {
  /** Deletes settled executions admitted before `before` (RFC 3339) with their inputs and results; `limit` at most. Answers how many. */
  dropExecutions(before: string, limit: number): Promise<number>;
  /** Deletes traces and observations of which nothing arrived since `before` (milliseconds); `limit` of each at most. Answers the larger number. */
  dropRecorded(before: number, limit: number): Promise<number>;
  /** Deletes evidence that nobody named since `before` (milliseconds), but for what `isKept` says. Answers how many files. */
  dropEvidence(before: number, isKept: (tenant: string, sha256: string) => Promise<boolean>): Promise<number>;
  /** Deletes inputs and result of one settled execution; its state and its record stay. False: there is none that is settled. */
  forget(tenant: string, executionId: string): Promise<boolean>;
  /** Deletes one file of evidence. */
  forgetEvidence(tenant: string, sha256: string): Promise<void>;
}
