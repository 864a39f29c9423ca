import type { Statement } from '#contract/record.ts';
import type { Verifier } from '../../plan.ts';
import type { Pause } from '../../run/run.ts';
import type { SettlementResult, Work } from '../../run/work.ts';
import type { HeldEvidence } from '../held-evidence.ts';
import type { Ledger } from '../ledger.ts';
import type { ReadResult, RecordedRequirement, RecordedStep } from '../read-result.ts';
import type { Unknowns } from './unknowns.ts';

/** What a work item gave when somebody performed it again, now. */
export interface RepeatedWork {
  readonly result: SettlementResult;
  /** Build of the Python interpreter, of `code` work. */
  readonly interpreter?: string;
}

export interface ReplayInput {
  readonly statement: Statement;
  readonly verifier: Verifier;
  readonly result: ReadResult;
  readonly evidence: HeldEvidence;
  /** By work id (`step:…`, `check:…`, `places:…`). */
  readonly repeated: ReadonlyMap<string, RepeatedWork>;
  /** True once no more time is left. */
  readonly isCut: Pause;
}

/** A replay under way. */
export interface Replaying extends ReplayInput {
  readonly ledger: Ledger;
  readonly unknowns: Unknowns;
  readonly digests: ReadonlyMap<string, string>;
  readonly steps: ReadonlyMap<string, RecordedStep>;
  readonly requirements: ReadonlyMap<string, RecordedRequirement>;
  /** Work that would make more of it decidable. */
  readonly open: Work[];
}
