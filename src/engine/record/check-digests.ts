import type { CardRef } from '#contract/cards/reference.ts';
import type { Statement } from '#contract/record.ts';
import { digestOf } from '../run/capture.ts';
import { type HeldCard, type HeldCards, holdCards } from './held-cards.ts';
import { type EvidenceFile, type HeldEvidence, holdEvidence } from './held-evidence.ts';
import type { Ledger } from './ledger.ts';
import { hashedValue, pinnedOf, type ReadResult, readResult } from './read-result.ts';

const step = 'digests';

/** What an auditor may hold beside the record. */
export interface HeldMaterial {
  /** JSON text of the result document, or of the execution state that holds it. */
  readonly result?: string | undefined;
  readonly evidence?: readonly EvidenceFile[] | undefined;
  /** JSON texts of Cards as the API answers them: the Verifier, the subject, and what they name. */
  readonly cards?: readonly string[] | undefined;
}

/** Held material that is what the record says it is; the rest is null and has been reported. */
export interface TrustedMaterial {
  readonly result: ReadResult | null;
  readonly evidence: HeldEvidence;
  readonly cards: HeldCards;
  readonly verifier: HeldCard | null;
}

/** Third step of docs/spec/records.md §4. */
export function checkDigests(statement: Statement, held: HeldMaterial, ledger: Ledger): TrustedMaterial {
  if (held.result !== undefined || held.evidence !== undefined || held.cards !== undefined) ledger.begin(step);
  const result = held.result === undefined ? null : readResult(held.result, ledger);
  const isOurs = result !== null && checkResult(statement, result, ledger);
  const evidence = holdEvidence(held.evidence ?? []);
  if (held.evidence !== undefined) checkInputs(statement, isOurs ? result : null, evidence, ledger);
  const cards = holdCards(held.cards ?? [], ledger);
  const { verifier, subject } = statement.predicate;
  const isAsked = held.cards !== undefined;
  if (isAsked) checkCard(subject, cards, ledger);
  return {
    result: isOurs ? result : null,
    evidence,
    cards,
    verifier: isAsked ? checkCard(verifier, cards, ledger) : null,
  };
}

function checkResult(statement: Statement, result: ReadResult, ledger: Ledger): boolean {
  if (result.sha256 !== statement.subject[0]?.digest.sha256) {
    ledger.invalid(step, 'result_digest', 'result');
    return false;
  }
  const digests = inputDigests(statement);
  const { evidence } = result.outcome;
  for (const slot of Object.keys(evidence)) {
    const pinned = pinnedOf(evidence[slot] ?? null);
    const digest = digests.get(slot);
    const at = `input/${slot}`;
    if (pinned === null) ledger.invalid(step, 'input_malformed', at);
    // A trace that could not be read has no digest.
    else if (digest === undefined && pinned.kind !== 'trace') ledger.invalid(step, 'input_not_named', at);
    else if (digest !== undefined && isOther(pinned, digest)) ledger.invalid(step, 'input_digest', at);
  }
  for (const slot of digests.keys())
    if (!Object.hasOwn(evidence, slot)) ledger.invalid(step, 'input_not_in_result', `input/${slot}`);
  return true;
}

/** Whether what the result says of an input contradicts its digest. Under `redact` and for traces it says nothing. */
function isOther(pinned: NonNullable<ReturnType<typeof pinnedOf>>, digest: string): boolean {
  if (pinned.kind === 'file' || pinned.kind === 'artifact') return pinned.sha256 !== digest;
  if (pinned.kind === 'trace' || pinned.value === null) return false;
  return digestOf(pinned.value) !== digest && hashedValue(pinned.value) !== digest;
}

/** Slot → digest, as the statement names them. */
export function inputDigests(statement: Statement): ReadonlyMap<string, string> {
  return new Map(statement.subject.slice(1).map(({ name, digest }) => [name.slice('input/'.length), digest.sha256]));
}

function checkInputs(statement: Statement, result: ReadResult | null, evidence: HeldEvidence, ledger: Ledger): void {
  for (const [slot, digest] of inputDigests(statement)) {
    const at = `input/${slot}`;
    const named = evidence.named(slot);
    if (named !== null && !named.includes(digest)) ledger.invalid(step, 'input_digest', at);
    else if (!isHeld(digest, slot, evidence, result)) ledger.undecidable(step, 'input_not_held', at);
  }
}

function isHeld(digest: string, slot: string, evidence: HeldEvidence, result: ReadResult | null): boolean {
  if (evidence.bytes(digest) !== null || evidence.json(digest) !== undefined) return true;
  const pinned = pinnedOf(result?.outcome.evidence[slot] ?? null);
  return pinned?.kind === 'json' && digestOf(pinned.value) === digest;
}

/** The held Card that a record names; null when it is not held or is another one. */
function checkCard(
  named: CardRef & { readonly digest: { readonly sha256: string } },
  cards: HeldCards,
  ledger: Ledger,
): HeldCard | null {
  const { digest, uid, ...ref } = named;
  const at = `card/${ref.kind}/${ref.name}@${ref.version ?? ''}`;
  const held = uid === undefined ? undefined : cards.byUid(uid);
  if (held === undefined) {
    ledger.undecidable(step, 'card_not_held', at);
    return null;
  }
  if (held.sha256 === digest.sha256) return held;
  ledger.invalid(step, 'card_digest', at);
  return null;
}
