import { type Checkpoint, payloadTypes } from '#contract/record.ts';
import type { Checkpoints, Closing, LoggedCheckpoint } from '../ports/checkpoints.ts';
import type { Signer } from '../ports/signer.ts';
import type { Clock, Log } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { growTree } from './grow-tree.ts';
import { sha256Of, toRecord } from './make-record.ts';
import { payloadOf } from './sign-payload.ts';
import { leafHashOf } from './tile-tree.ts';

export interface ClosePorts {
  readonly clock: Clock;
  readonly signer: Signer;
  readonly checkpoints: Checkpoints;
}

/** Records of one checkpoint; the rest go into another one of the same period. */
const mostLeaves = 100_000;
const hourMs = 3_600_000;
/** What ended in an hour has this long to be stored before the hour is closed (docs/spec/records.md §2). */
const settlingMs = 60_000;
/** Checkpoints on demand are this far apart: whoever asks sooner gets the last one. */
const demandMs = 60_000;

/**
 * Closes the hour that is over for every tenant that has records. What cannot be closed now is tried again by the next
 * call. Answers how many tenants were left so.
 */
export async function closeHour(ports: ClosePorts & { readonly log: Log }): Promise<number> {
  const hour = Math.floor((ports.clock.now() - settlingMs) / hourMs) * hourMs;
  let left = 0;
  for (const tenant of await ports.checkpoints.tenants()) {
    try {
      const last = await ports.checkpoints.last(tenant);
      if (last === null || Date.parse(last.closed_at) < hour) await closePeriod(ports, tenant, hour);
    } catch (error) {
      left += 1;
      ports.log.error('checkpoint not closed', { tenant, error: error instanceof Error ? error.message : 'unknown' });
    }
  }
  return left;
}

/** One period, in as many checkpoints as its records need. */
async function closePeriod(ports: ClosePorts, tenant: string, until: number): Promise<void> {
  while ((await close(ports, tenant, until)).leaves === mostLeaves);
}

/** A checkpoint now, or the last one when that is younger than a minute (docs/decisions/records-storage.md). */
export async function closeOnDemand(ports: ClosePorts, tenant: string): Promise<LoggedCheckpoint> {
  const now = ports.clock.now();
  const last = await ports.checkpoints.last(tenant);
  if (last !== null && Date.parse(last.closed_at) > now - demandMs) return last;
  return (await close(ports, tenant, now)).checkpoint;
}

interface Closed {
  readonly checkpoint: LoggedCheckpoint;
  readonly leaves: number;
}

async function close(ports: ClosePorts, tenant: string, until: number): Promise<Closed> {
  const { checkpoints } = ports;
  const closing = await checkpoints.begin(tenant, await nextClosing(ports, tenant, until));
  const hashes = closing.leaves.map(({ sha256 }) => leafHashOf(sha256));
  const { tiles, root } = await growTree(ports, tenant, closing.before?.size ?? 0, hashes);
  const checkpoint = await signCheckpoint(ports, tenant, closing, root);
  if (await checkpoints.append(tenant, closing, checkpoint, tiles)) {
    return { checkpoint, leaves: closing.leaves.length };
  }
  const other = await checkpoints.last(tenant);
  return { checkpoint: other ?? checkpoint, leaves: 0 };
}

async function nextClosing({ checkpoints }: ClosePorts, tenant: string, until: number): Promise<Closing> {
  const before = await checkpoints.last(tenant);
  // A clock that was put back must not close a period before it opened.
  const closed_at = toRfc3339(Math.max(until, before === null ? until : Date.parse(before.closed_at)));
  // Once a day everything is looked at again: no lag of an index leaves a record out for ever.
  const thorough = before !== null && before.closed_at.slice(0, 10) !== closed_at.slice(0, 10);
  const leaves = await checkpoints.open(tenant, { ended_by: closed_at, limit: mostLeaves, thorough });
  const [first] = leaves;
  const began = Date.parse(first === undefined || first.ended_at > closed_at ? closed_at : first.ended_at);
  const opened_at = before?.closed_at ?? toRfc3339(Math.floor(began / hourMs) * hourMs);
  return { before, opened_at, closed_at, leaves, is_whole: leaves.length < mostLeaves };
}

async function signCheckpoint(
  { signer }: ClosePorts,
  tenant: string,
  { before, leaves, opened_at, closed_at }: Closing,
  root: string,
): Promise<LoggedCheckpoint> {
  const first_index = before?.size ?? 0;
  const size = first_index + leaves.length;
  const previous = before?.sha256 ?? null;
  const said: Checkpoint = { version: 1, tenant, size, root, previous, first_index, opened_at, closed_at };
  const payload = payloadOf({ ...said });
  const signed = await signer.signAsRoot(payloadTypes.checkpoint, payload, Date.parse(closed_at));
  const { envelope } = toRecord(payloadTypes.checkpoint, payload, signed);
  return { number: (before?.number ?? 0) + 1, size, closed_at, sha256: sha256Of(payload), envelope };
}
