import type { PinnedInput } from '#contract/evidence.ts';
import type { Verifier } from '../../plan.ts';
import { begin, resume } from '../../run/begin.ts';
import { conclude, isFinished } from '../../run/conclude.ts';
import { ready } from '../../run/ready.ts';
import type { Pause, Run } from '../../run/run.ts';
import { settle } from '../../run/settle.ts';
import type { SettlementResult, Work } from '../../run/work.ts';
import { inputDigests } from '../check-digests.ts';
import type { Ledger } from '../ledger.ts';
import { pinnedOf } from '../read-result.ts';
import { answerWork } from './answer-work.ts';
import { compareOutcome } from './compare.ts';
import { slotsNotStored } from './not-stored.ts';
import type { ReplayInput, Replaying } from './replaying.ts';
import { reachOfUnknowns } from './unknowns.ts';

/**
 * Computes the run again: what judges, code and extraction answered comes from the result, whose digest the record
 * holds; every condition, comparison, citation and the verdict come from the engine (docs/spec/records.md §4). Answers
 * the work that could be performed again to decide more.
 */
export function replay(input: ReplayInput, ledger: Ledger): readonly Work[] {
  const { verifier, result, statement } = input;
  const replaying: Replaying = {
    ...input,
    ledger,
    unknowns: {
      inputs: new Set(),
      outputs: new Set(),
      steps: new Set(),
      requirements: new Set(),
      reasons: verifier.capture !== 'full',
    },
    digests: inputDigests(statement),
    steps: new Map(result.outcome.steps.map((step) => [step.id, step])),
    requirements: new Map(result.outcome.requirements.map((requirement) => [requirement.id, requirement])),
    open: [],
  };
  const inputs = inputsOf(replaying);
  if (inputs === null) return [];
  const { started_at, drift } = statement.predicate;
  const [windowed] = drift;
  const window = windowed === undefined ? {} : { window: windowed.window };
  const begun = { started_at, inputs, not_stored: slotsNotStored(verifier, result), ...window };
  const run = finish(replaying, begin(verifier, begun, input.isCut));
  if (!isFinished(run)) ledger.undecidable('replay', 'replay_cut', 'replay');
  else {
    const { unknowns } = replaying;
    const reached = reachOfUnknowns(verifier, unknowns);
    compareOutcome(verifier, conclude(run), result, reached, unknowns.outputs, ledger);
  }
  return replaying.open;
}

/** Every try of every step and every check, and twice as many again for what they wait for. */
const maxSettlements = 100 * 6 + 500 + 2 * 4096;

function finish(replaying: Replaying, begun: Run): Run {
  let run = begun;
  for (let count = 0; count < maxSettlements && !isFinished(run); count += 1) {
    const [work] = ready(run);
    if (work === undefined || replaying.isCut()) return run;
    const answer = answerWork(replaying, work);
    run =
      'placing' in answer
        ? place(run, work, answer.placing, replaying.isCut)
        : step(run, work, answer.result, replaying.isCut);
  }
  return run;
}

function step(run: Run, work: Work, result: SettlementResult, pause: Pause): Run {
  return settle(run, work.id, { attempt: work.attempt, duration_ms: 0, result }, pause);
}

/** A Verdict whose words are hidden could not be decoded again: it is put where decoding would have put it. */
function place(
  run: Run,
  work: Work,
  verdict: Extract<Run['requirements'][number], { phase: 'placing' }>['verdict'],
  pause: Pause,
): Run {
  const id = 'block' in work ? work.block : '';
  const requirements = run.requirements.map((state, position) =>
    run.verifier.requirements[position]?.id === id ? ({ phase: 'placing', verdict } as const) : state,
  );
  return resume({ ...run, requirements }, pause);
}

/** The pinned inputs of the run; null when they do not fit the Verifier. */
function inputsOf(replaying: Replaying): Readonly<Record<string, PinnedInput>> | null {
  const { verifier, result, ledger } = replaying;
  const inputs = new Map<string, PinnedInput>();
  for (const [slot, shown] of Object.entries(result.outcome.evidence)) {
    const pinned = pinnedOf(shown);
    if (pinned === null || !fitsSlot(verifier, slot, pinned)) {
      ledger.invalid('replay', 'input_kind', `input/${slot}`);
      return null;
    }
    inputs.set(slot, pinned.kind === 'json' ? { kind: 'json', value: heldValue(replaying, slot, pinned) } : pinned);
  }
  for (const [slot, { sha256 }] of Object.entries(verifier.attachments)) {
    const pinned = inputs.get(slot);
    if (pinned?.kind === 'artifact' && pinned.sha256 === sha256) continue;
    ledger.invalid('replay', 'attachment', `input/${slot}`);
    return null;
  }
  return Object.fromEntries(inputs);
}

function fitsSlot(verifier: Verifier, slot: string, pinned: PinnedInput): boolean {
  if (Object.hasOwn(verifier.attachments, slot)) return pinned.kind === 'artifact';
  const declared = Object.hasOwn(verifier.slots, slot) ? verifier.slots[slot] : undefined;
  switch (declared?.type) {
    case 'json':
    case 'source':
      return pinned.kind === 'json';
    case 'media':
      return pinned.kind === 'file' || pinned.kind === 'artifact';
    case 'trace':
      return pinned.kind === 'trace';
    default:
      return false;
  }
}

/** As shown under `full` capture, else as held; null and noted when it is neither. */
function heldValue(replaying: Replaying, slot: string, pinned: Extract<PinnedInput, { kind: 'json' }>) {
  const { verifier, evidence, digests, unknowns, ledger } = replaying;
  if (verifier.capture === 'full') return pinned.value;
  const held = evidence.json(digests.get(slot) ?? '');
  if (held !== undefined) return held;
  unknowns.inputs.add(slot);
  ledger.undecidable('replay', 'input_not_held', `input/${slot}`);
  return null;
}
