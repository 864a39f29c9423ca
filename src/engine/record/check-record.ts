import type { RecordReport, Statement } from '#contract/record.ts';
import { compile } from '../declare/compile.ts';
import type { Work } from '../run/work.ts';
import { checkDigests, type HeldMaterial, type TrustedMaterial } from './check-digests.ts';
import { checkInclusion } from './check-inclusion.ts';
import { checkLogic } from './check-logic.ts';
import { checkSignature } from './check-signature.ts';
import { missingReferences } from './held-cards.ts';
import { type Ledger, newLedger } from './ledger.ts';
import { readRecord } from './read-record.ts';
import { replay } from './replay/replay.ts';
import type { RepeatedWork } from './replay/replaying.ts';
import { rootKeys } from './signatures.ts';
import { operatorsVersion } from './statement.ts';

export type { EvidenceFile } from './held-evidence.ts';
export type { RepeatedWork } from './replay/replaying.ts';

/** A record and what the checker holds beside it. Everything is hostile; texts are JSON. */
export interface RecordCheck extends HeldMaterial {
  readonly record: string;
  /** The key set, taken from somewhere else than the record (docs/spec/records.md §3). */
  readonly keys?: unknown;
  /** An inclusion, a checkpoint kept elsewhere, or two checkpoints with the nodes between them. */
  readonly checkpoint?: string | undefined;
  /** Work performed again by the caller, by work id; `workToRepeat` says which. */
  readonly repeated?: ReadonlyMap<string, RepeatedWork> | undefined;
  /** Asked now and then; true ends the replay, which is then undecidable. */
  readonly isCut?: (() => boolean) | undefined;
}

/**
 * Checks a record without any network (docs/spec/records.md §4): form, signature, digests, logic, replay, inclusion. Lists
 * every defect. Never throws, whatever it is given.
 */
export function checkRecord(input: RecordCheck): RecordReport {
  return examine(input).report;
}

/** Code, and what a file holds, that performed again would make more of the replay decidable. */
export function workToRepeat(input: RecordCheck): readonly Work[] {
  return examine(input).open;
}

interface Examined {
  readonly report: RecordReport;
  readonly open: readonly Work[];
}

function examine(input: RecordCheck): Examined {
  const ledger = newLedger();
  const read = readRecord(input.record, ledger);
  if (read === null) return { report: ledger.report(), open: [] };
  const roots = rootKeys(input.keys, { ledger, step: 'signature', at: 'keys' });
  checkSignature(read, roots, ledger);
  checkInclusion(read, input.checkpoint, roots, ledger);
  const { statement } = read;
  if (statement === null) return { report: ledger.report(), open: [] };
  const material = checkDigests(statement, input, ledger);
  checkLogic(statement, material.result, material.verifier, ledger);
  const open = checkReplay(input, statement, material, ledger);
  return { report: ledger.report(), open };
}

/** Needs the Verifier and the result; what is missing of them has been reported as a digest that is not held. */
function checkReplay(
  input: RecordCheck,
  statement: Statement,
  { result, verifier, cards, evidence }: TrustedMaterial,
  ledger: Ledger,
): readonly Work[] {
  const isAsked = input.cards !== undefined && (input.result !== undefined || input.evidence !== undefined);
  if (!isAsked || statement.predicate.engine.operators !== operatorsVersion) return [];
  ledger.begin('replay');
  if (verifier === null) ledger.undecidable('replay', 'card_not_held', 'card');
  if (result === null) ledger.undecidable('replay', 'result_not_held', 'result');
  if (verifier === null || result === null) return [];
  for (const name of missingReferences(verifier, cards)) ledger.undecidable('replay', 'card_not_held', `card/${name}`);
  try {
    const api = verifier.apiVersion === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
    // The flat dialect accepts whatever the spaced one does, and both mean the same (docs/spec/verification.md §1.5).
    const compiled = compile({ api, spec: verifier.spec, dialect: 'flat', references: cards.references });
    if (!compiled.ok || compiled.verifier.mode === 'window') {
      ledger.undecidable('replay', compiled.ok ? 'window_not_replayed' : 'card_not_compiled', 'card');
      return [];
    }
    const { repeated = new Map(), isCut = never } = input;
    return replay({ statement, verifier: compiled.verifier, result, evidence, repeated, isCut }, ledger);
  } catch {
    // A plan and inputs that never were together: the engine says so by throwing.
    ledger.undecidable('replay', 'replay_failed', 'replay');
    return [];
  }
}

function never(): boolean {
  return false;
}
