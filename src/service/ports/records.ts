/** The record of one completed execution, as its row has it (docs/spec/records.md §1). */
export interface ExecutionRecord {
  readonly state: 'signed' | 'pending';
  /** Lower hex SHA-256 of the payload bytes: a leaf of the tenant's log. The same before and after signing. */
  readonly sha256: string;
  /** JSON text: of the signed record; while pending, of the statement (RFC 8785) that waits for its signature. */
  readonly text: string;
}

/** A record that waits for its signature. */
export interface PendingRecord {
  readonly tenant: string;
  readonly execution_id: string;
  /** RFC 3339. */
  readonly ended_at: string;
  readonly record: ExecutionRecord;
}

/** Records of executions. They are written with the settled state (`Executions`, `Attempts`) and outlive the result. */
export interface Records {
  /** Whatever became of its execution since. */
  find(tenant: string, executionId: string): Promise<ExecutionRecord | null>;
  /** Oldest first, of all tenants. */
  pending(limit: number): Promise<readonly PendingRecord[]>;
  /** Pending → signed. False: nothing was written, it was not pending. Durable when it resolves. */
  sign(tenant: string, executionId: string, signed: ExecutionRecord): Promise<boolean>;
}
