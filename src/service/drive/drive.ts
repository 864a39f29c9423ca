import type { Outcome } from '#contract/result.ts';
import {
  begin,
  conclude,
  isFinished,
  type Pause,
  type Run,
  ready,
  resume,
  type Settlement,
  settle,
  type Work,
} from '#engine/index.ts';
import { type AttestedWork, attestedWork } from '#engine/record/attested.ts';
import type { Clock } from '../ports.ts';
import { attempt } from './attempt.ts';
import { perform } from './perform.ts';
import type { DriveInput, DrivePorts, Perform } from './performing.ts';

/** A run that came to its end: what is answered, and what its record says of the work behind it. */
export interface Finished {
  readonly outcome: Outcome;
  readonly work: AttestedWork;
}

export function finish(run: Run): Finished {
  return { outcome: conclude(run), work: attestedWork(run) };
}

export type Driven =
  | ({ readonly kind: 'finished' } & Finished)
  /** A block was refused capacity (docs/spec/verification.md §10.9). */
  | { readonly kind: 'busy'; readonly retry_after_ms: number }
  /** A trace is known but not here yet, and the run may wait for it (§9.5). */
  | { readonly kind: 'not_landed' }
  /** The deadline ends everything without a verdict (§10.8). */
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'cancelled' };

/** Blocks at once in one run (§16.3). */
const concurrency = 8;
const defaultRetryAfterMs = 1000;
/** Milliseconds of judging after which the other calls of the host get their turn. */
const sliceMs = 20;

/** The in-process driver: performs ready work until the run is finished, its deadline passes or it is cancelled. */
export async function drive(ports: DrivePorts, input: DriveInput, performWork: Perform = perform): Promise<Driven> {
  const slice = newSlice(ports.clock);
  const run = begin(input.verifier, input.run, slice.pause);
  if (isFinished(run)) return { kind: 'finished', ...finish(run) };
  const stop = new AbortController();
  const signal = input.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, input.signal]);
  const ended = whenEnded(ports, input, signal);
  try {
    return await performAll({ ports, input, performWork, signal, ended }, { run, cut: slice.wasCut() });
  } finally {
    // Aborts what is still under way; its late answers find nobody listening.
    stop.abort();
  }
}

interface Driving {
  readonly ports: DrivePorts;
  readonly input: DriveInput;
  readonly performWork: Perform;
  readonly signal: AbortSignal;
  /** The deadline or a cancellation. */
  readonly ended: Promise<Driven>;
}

async function performAll(driving: Driving, begun: Moved): Promise<Driven> {
  const { ended } = driving;
  const underway = new Map<string, Promise<Answer>>();
  let moved = await finishMove(driving, begun);
  while ('steps' in moved && !isFinished(moved)) {
    const run = moved;
    startReady(driving, run, underway);
    const next = await Promise.race([ended, ...underway.values()]);
    // What is cancelled may fail faster than the cancelling is noticed: that failure is nobody's answer.
    if ('kind' in next || driving.signal.aborted) return ended;
    underway.delete(next.key);
    const slice = newSlice(driving.ports.clock);
    const settled = settle(run, next.work.id, next.settlement, slice.pause);
    const early = endsEarly(settled, driving.input, [next.settlement]);
    if (early !== null) return early;
    moved = await finishMove(driving, { run: settled, cut: slice.wasCut() });
  }
  return 'steps' in moved ? { kind: 'finished', ...finish(moved) } : moved;
}

function startReady(driving: Driving, run: Run, underway: Map<string, Promise<Answer>>): void {
  for (const work of ready(run)) {
    const key = `${work.id}#${work.attempt}`;
    if (underway.size >= concurrency) return;
    if (!underway.has(key)) underway.set(key, answer(driving, work, key));
  }
}

interface Moved {
  readonly run: Run;
  /** There was more to judge than fits into one slice. */
  readonly cut: boolean;
}

/** Judges the rest in slices. A Verifier may ask for minutes of comparisons, and nothing else interrupts them. */
async function finishMove({ ports, signal, ended }: Driving, moved: Moved): Promise<Run | Driven> {
  let { run, cut } = moved;
  while (cut) {
    const turn = ports.clock.sleep(0, signal).catch(() => undefined);
    const end = await Promise.race([ended, turn]);
    if (end) return end;
    const slice = newSlice(ports.clock);
    run = resume(run, slice.pause);
    cut = slice.wasCut();
  }
  return run;
}

function newSlice(clock: Clock): { readonly pause: Pause; readonly wasCut: () => boolean } {
  const end = clock.now() + sliceMs;
  let cut = false;
  const pause = () => {
    cut = clock.now() >= end;
    return cut;
  };
  return { pause, wasCut: () => cut };
}

/** Why an attempt ends before its run does, after these answers were settled; null when it goes on. */
export function endsEarly(
  run: Run,
  input: DriveInput,
  answers: readonly Settlement[],
): Extract<Driven, { kind: 'busy' | 'not_landed' }> | null {
  if (run.busy !== null) return { kind: 'busy', retry_after_ms: run.busy.retry_after_ms ?? defaultRetryAfterMs };
  return input.wait_for_traces === true && answers.some(isNotLanded) ? { kind: 'not_landed' } : null;
}

function isNotLanded({ result }: Settlement): boolean {
  return result.kind === 'failure' && result.code === 'trace_not_landed';
}

interface Answer {
  readonly key: string;
  readonly work: Work;
  readonly settlement: Settlement;
}

async function answer({ ports, input, performWork, signal }: Driving, work: Work, key: string): Promise<Answer> {
  const settlement = await attempt({ ports, input, performWork }, work, signal);
  return { key, work, settlement };
}

async function whenEnded(ports: DrivePorts, input: DriveInput, signal: AbortSignal): Promise<Driven> {
  try {
    await ports.clock.sleep(Math.max(0, input.deadline - ports.clock.now()), signal);
    return { kind: 'timed_out' };
  } catch {
    return { kind: 'cancelled' };
  }
}
