import type { JsonObject } from '#contract/json.ts';
import type { Outcome } from '#contract/result.ts';
import {
  begin,
  compile,
  conclude,
  isFinished,
  type Pause,
  type Run,
  ready,
  resume,
  settle,
  type Work,
} from '#engine/index.ts';
import type { RandomCase } from './random-verifier.ts';

/**
 * Runs a random case to its end, choosing the next settled work by `choose`; `between` sees each Run; `isCut` is asked
 * where judging may pause.
 */
export function settleInOrder(
  one: RandomCase,
  choose: (ready: readonly Work[]) => Work | undefined,
  between: (run: Run) => Run = (run) => run,
  isCut: Pause = () => false,
): Outcome {
  const input = { started_at: '2026-05-04T08:00:00Z', inputs: { doc: { kind: 'json', value: one.evidence } } } as const;
  const whole = (move: (pause: Pause) => Run) => between(finishMove(move, isCut));
  let run = whole((pause) => begin(compiled(one.spec), input, pause));
  while (!isFinished(run)) {
    const work = choose(ready(run));
    if (work === undefined) throw new Error('an unfinished run has nothing to do');
    const settlement = { attempt: work.attempt, duration_ms: 1, result: answerOf(one, work) };
    const before = run;
    run = whole((pause) => settle(before, work.id, settlement, pause));
  }
  return conclude(run);
}

function finishMove(move: (pause: Pause) => Run, isCut: Pause): Run {
  let cut = false;
  const pause = () => {
    cut = isCut();
    return cut;
  };
  let run = move(pause);
  while (cut) {
    cut = false;
    run = resume(run, pause);
  }
  return run;
}

export function compiled(spec: JsonObject) {
  const result = compile({ api: 'wyrd/v1', spec, dialect: 'flat', references: { card: () => undefined } });
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.verifier;
}

export function answerOf(one: RandomCase, work: Work) {
  const answers = 'block' in work ? (one.answers[work.block] ?? []) : [];
  const answer = answers[Math.min(work.attempt, answers.length) - 1];
  if (answer === undefined) throw new Error(`no answer for ${work.id}`);
  return answer;
}
