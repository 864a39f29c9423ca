import type { MachineCount, MachinePart } from '#contract/machine.ts';
import { type Run, ready } from '#engine/index.ts';
import { performPart } from '../drift/large/large-window.ts';
import { partsLeft, planWindow } from '../drift/large/window-plan.ts';
import { windowLook } from '../drift/window-look.ts';
import { type DriftWork, fitOf } from '../drive/perform-drift.ts';
import type { DriveInput } from '../drive/performing.ts';
import type { Baselines } from '../ports/baselines.ts';
import type { LargeWindows } from '../ports/large-windows.ts';
import { beforeDeadline } from './before-deadline.ts';
import { type MachinePorts, replay } from './replay.ts';

/** A payload of the machine holds 256 KB. */
const mostParts = 1_000;

/** What must be counted in parts before the ready work is performed; empty: nothing. */
export async function partsToCount(
  large: LargeWindows | undefined,
  run: Run,
  input: DriveInput,
): Promise<readonly MachinePart[]> {
  if (large === undefined) return [];
  const parts: MachinePart[] = [];
  for (const work of ready(run)) {
    if (work.kind !== 'drift') continue;
    const { place, look } = placeOf(input, work);
    const plan = await planWindow(large, place, look);
    const left = plan === null ? [] : await partsLeft(large, place, plan);
    parts.push(...left.map((part) => ({ work_id: work.id, try: work.attempt, ...part })));
  }
  return parts.slice(0, mostParts);
}

export interface CountPorts extends MachinePorts {
  readonly baselines: Baselines;
  readonly largeWindows: LargeWindows;
}

/** Performs one part. Does nothing when the attempt is no longer held, or the deadline comes first: Advance sees both. */
export async function countPart(ports: CountPorts, { place, part }: MachineCount): Promise<void> {
  const replayed = await replay(ports, place);
  if (replayed === null) return;
  const { run, input } = replayed;
  const work = ready(run).find(({ id, attempt }) => id === part.work_id && attempt === part.try);
  if (work?.kind !== 'drift') return;
  const { largeWindows: large, baselines } = ports;
  await beforeDeadline(ports.clock, place.deadline, async (signal) => {
    // Without its baseline a check counts nothing, and says why when it is performed.
    const fit = await fitOf(baselines, place.tenant, input.verifier_uid ?? '', work);
    const of = { large, spec: work.spec, fit: typeof fit === 'string' ? null : fit, ...placeOf(input, work) };
    await performPart(of, part, signal);
  });
}

function placeOf({ tenant, subject_uid = '', attempt_of }: DriveInput, work: DriftWork) {
  if (attempt_of === undefined) throw new Error('only an attempt has parts');
  return { place: { tenant, ...attempt_of, work_id: work.id }, look: windowLook(subject_uid, work) };
}
