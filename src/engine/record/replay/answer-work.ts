import type { Json } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Verdict } from '#contract/result.ts';
import { digestOf } from '../../run/capture.ts';
import type {
  AgentWork,
  CodeWork,
  DriftWork,
  ExtractWork,
  PlacesWork,
  SettlementResult,
  TraceWork,
  Work,
} from '../../run/work.ts';
import { sha256Hex } from '../../values/canonical.ts';
import { equal } from '../../values/equal.ts';
import { isObject, memberOf } from '../../values/kind.ts';
import { placesOfBytes } from './places-of-bytes.ts';
import { answerOfCheck, answerOfStep } from './recorded-answers.ts';
import type { Replaying } from './replaying.ts';

export type WorkAnswer = { readonly result: SettlementResult } | { readonly placing: Verdict };

/** The answer that the run had, from the result, from held evidence, or from work that was performed again. */
export function answerWork(replaying: Replaying, work: Work): WorkAnswer {
  switch (work.kind) {
    case 'trace':
      return { result: answerTrace(replaying, work) };
    case 'places':
      return { result: answerPlaces(replaying, work) };
    case 'drift':
      return { result: answerDrift(replaying, work) };
    default:
      if (work.attempt === 1) checkAttested(replaying, work);
      return work.position === 'step' ? { result: answerStep(replaying, work) } : answerCheck(replaying, work);
  }
}

function failure(code: ReasonCode): SettlementResult {
  return { kind: 'failure', code, retryable: false };
}

function answerTrace(replaying: Replaying, { slot }: TraceWork): SettlementResult {
  const { digests, evidence, unknowns, requirements, verifier, ledger } = replaying;
  const digest = digests.get(slot);
  if (digest === undefined) {
    // It could not be read then: every check of it says why.
    const plan = verifier.requirements.find(({ check }) => check.kind === 'trace' && check.slot === slot);
    return failure(requirements.get(plan?.id ?? '')?.reason_code ?? 'trace_source_failed');
  }
  const trace = evidence.json(digest);
  if (isObject(trace)) return { kind: 'trace', trace };
  unknowns.inputs.add(slot);
  noteCiting(replaying, slot);
  ledger.undecidable('replay', 'trace_not_held', `input/${slot}`);
  return failure('trace_source_failed');
}

function answerPlaces(replaying: Replaying, work: PlacesWork): SettlementResult {
  const { repeated, evidence, ledger, open } = replaying;
  const { slot, media } = work;
  const again = repeated.get(work.id)?.result;
  if (again?.kind === 'places') return again;
  const bytes = evidence.bytes(media.sha256);
  const places = bytes === null ? null : placesOfBytes(media.format, bytes);
  if (places !== null) return { kind: 'places', places };
  if (bytes !== null) open.push(work);
  noteCiting(replaying, slot);
  ledger.undecidable('replay', bytes === null ? 'input_not_held' : 'places_not_held', `input/${slot}`);
  return failure('evidence_unavailable');
}

/** A window is in no bundle: its rows are the host's, and the record has their digest. */
function answerDrift({ unknowns, ledger }: Replaying, { block }: DriftWork): SettlementResult {
  unknowns.requirements.add(block);
  ledger.undecidable('replay', 'input_not_held', `requirement/${block}`);
  return failure('drift_unscored');
}

/** Requirements whose citations of a slot cannot be looked up. */
function noteCiting({ requirements, unknowns }: Replaying, slot: string): void {
  for (const [id, { citations = [] }] of requirements) {
    if (citations.some((citation) => isObject(citation) && memberOf(citation, 'slot') === slot))
      unknowns.requirements.add(id);
  }
}

/** Prompts and code in Cards that only a reference leads to are held against the record's own digests. */
function checkAttested({ statement, ledger }: Replaying, work: AgentWork | CodeWork | ExtractWork): void {
  const { judges, code } = statement.predicate;
  const at = `${work.position === 'step' ? 'step' : 'requirement'}/${work.block}`;
  if (work.kind === 'agent') {
    const judge = judges.find(({ id }) => id === work.block);
    if (judge !== undefined && judge.prompt_digest.sha256 !== digestOf(work.prompt as Json))
      ledger.invalid('digests', 'prompt_digest', at);
  }
  if (work.kind === 'code' && work.source.kind === 'inline') {
    const attested = code.find(({ id }) => id === work.block);
    if (attested !== undefined && attested.sha256 !== sha256Hex(work.source.text))
      ledger.invalid('digests', 'code_digest', at);
  }
}

function answerStep(replaying: Replaying, work: AgentWork | CodeWork | ExtractWork): SettlementResult {
  const { steps, unknowns, ledger } = replaying;
  const at = `step/${work.block}`;
  const step = steps.get(work.block);
  if (step === undefined || step.status === 'skipped') {
    // The record says that it did not run: comparing says so, and nothing that follows is a defect of its own.
    unknowns.outputs.add(work.block);
    return failure('agent_unavailable');
  }
  const recorded = answerOfStep(step, work.attempt, replaying.verifier.capture === 'full');
  const isLast = work.attempt >= step.attempts;
  if (!isLast) return recorded ?? failure('retryable');
  if (recorded?.kind === 'output') checkExtraction(replaying, work, recorded.output, at);
  const again = work.kind === 'agent' ? undefined : repeatedOf(replaying, work, recorded, at);
  if (recorded !== null) {
    if (work.kind === 'code' && again !== undefined) compareRepeated(recorded, again, at, ledger);
    return recorded;
  }
  if (again?.kind === 'output') {
    if (isAttestedOutput(replaying, work, step.output, again.output)) return again;
    if (work.kind === 'code') ledger.invalid('replay', 'outcome_differs', `${at}/output`);
  }
  unknowns.outputs.add(work.block);
  ledger.undecidable('replay', 'output_not_held', at);
  return { kind: 'output', output: null };
}

function checkExtraction({ statement, ledger }: Replaying, work: Work, output: Json, at: string): void {
  if (work.kind !== 'extract') return;
  const attested = statement.predicate.extractions.find(({ id }) => id === work.block);
  if (attested !== undefined && attested.output_digest.sha256 !== digestOf(output))
    ledger.invalid('digests', 'extraction_digest', at);
}

/**
 * Whether an output made again is the one whose hash the record or the result holds. Code in the recorded interpreter
 * gives its output again; where nothing of it is shown, there is nothing to contradict it.
 */
function isAttestedOutput({ statement }: Replaying, work: Work, shown: Json | undefined, output: Json): boolean {
  if (work.kind === 'code' && shown === undefined) return true;
  const digest = digestOf(output);
  const { extractions } = statement.predicate;
  const attested = 'block' in work ? extractions.find(({ id }) => id === work.block)?.output_digest.sha256 : undefined;
  const cut = isObject(shown) ? memberOf(shown, 'sha256') : shown;
  return digest === attested || digest === cut;
}

function answerCheck(replaying: Replaying, work: AgentWork | CodeWork | ExtractWork): WorkAnswer {
  const { requirements, verifier, unknowns } = replaying;
  const at = `requirement/${work.block}`;
  const requirement = requirements.get(work.block);
  const isFull = verifier.capture === 'full';
  const answer = requirement === undefined ? null : answerOfCheck(requirement, isFull);
  if (answer === null) {
    unknowns.requirements.add(work.block);
    return { result: failure('malformed_verdict') };
  }
  const recorded = answer.kind === 'settle' ? answer.result : null;
  const again = work.kind === 'code' ? repeatedOf(replaying, work, recorded, at) : undefined;
  if (again !== undefined) return { result: again };
  if (!isFull && 'require_quote' in work && work.require_quote && requirement?.citations !== undefined)
    unknowns.requirements.add(work.block);
  return answer.kind === 'settle' ? { result: answer.result } : { placing: answer.verdict };
}

/** Ends that a machine's speed or state decides, not the code. */
const ofTheMachine: ReadonlySet<ReasonCode> = new Set([
  'code_timeout',
  'code_memory',
  'code_unavailable',
  'step_timeout',
  'evidence_unavailable',
  'retryable',
]);

function isOfTheMachine(result: SettlementResult | null): boolean {
  return result?.kind === 'busy' || (result?.kind === 'failure' && ofTheMachine.has(result.code));
}

/** The same work performed again, when that says something: in the recorded interpreter, to an end of its own. */
function repeatedOf(
  replaying: Replaying,
  work: Exclude<Work, TraceWork | PlacesWork | DriftWork>,
  recorded: SettlementResult | null,
  at: string,
): SettlementResult | undefined {
  const { repeated, ledger, statement, open } = replaying;
  // Extraction is not repeated for its own sake: its output is pinned by digest.
  if (isOfTheMachine(recorded) || (work.kind === 'extract' && recorded !== null)) return undefined;
  const again = repeated.get(work.id);
  if (again === undefined) open.push(work);
  if (again === undefined || isOfTheMachine(again.result)) {
    if (work.kind === 'code') ledger.undecidable('replay', 'code_not_repeated', at);
    return undefined;
  }
  const attested = statement.predicate.code.find(({ id }) => id === work.block)?.interpreter ?? null;
  if (work.kind !== 'code' || attested === null || attested === again.interpreter) return again.result;
  ledger.undecidable('replay', 'interpreter_differs', at);
  return undefined;
}

function compareRepeated(
  recorded: SettlementResult,
  again: SettlementResult,
  at: string,
  ledger: Replaying['ledger'],
): void {
  const isSame =
    recorded.kind === 'output'
      ? again.kind === 'output' && equal(recorded.output, again.output)
      : recorded.kind === 'failure' && again.kind === 'failure' && recorded.code === again.code;
  if (!isSame) ledger.invalid('replay', 'outcome_differs', `${at}/output`);
}
