import { Problem } from '#contract/errors.ts';
import type { Consistency, Envelope } from '#contract/record.ts';
import type { Principal } from '../auth/principal.ts';
import type { Checkpoints, LoggedCheckpoint } from '../ports/checkpoints.ts';
import type { Page, PageRequest } from '../ports/page.ts';
import { consistencyPath } from './prove.ts';

interface CheckpointPorts {
  readonly checkpoints: Checkpoints;
}

/** One checkpoint as a list shows it. */
export interface ShownCheckpoint {
  readonly size: number;
  readonly closed_at: string;
  /** Lower hex SHA-256 of the payload: `previous` of the next one. */
  readonly digest: string;
  readonly checkpoint: Envelope;
}

/** Newest first. */
export async function listCheckpoints(
  { checkpoints }: CheckpointPorts,
  principal: Principal,
  page: PageRequest,
): Promise<Page<ShownCheckpoint>> {
  const { items, next } = await checkpoints.list(principal.tenant, page);
  return { items: items.map(showCheckpoint), next };
}

/** The first one of this size: a proof that was made with it stays the same. */
export async function readCheckpoint(
  { checkpoints }: CheckpointPorts,
  principal: Principal,
  size: number,
): Promise<ShownCheckpoint> {
  return showCheckpoint(found(await checkpoints.ofSize(principal.tenant, size, 'first')));
}

/** The first checkpoint of size `from`, the last of size `to`, and what leads from one to the other. */
export async function readConsistency(
  { checkpoints }: CheckpointPorts,
  { tenant }: Principal,
  from: number,
  to: number,
): Promise<Consistency> {
  if (from > to) throw new Problem('WYRD_SPEC_400_VALIDATION', 'query from: is above to', { field: 'from' });
  const earlier = found(await checkpoints.ofSize(tenant, from, 'first'));
  const later = found(await checkpoints.ofSize(tenant, to, 'last'));
  if (earlier.number === later.number) {
    throw new Problem('WYRD_SPEC_400_VALIDATION', 'query to: names the same checkpoint as from', { field: 'to' });
  }
  const path = [...(await consistencyPath(checkpoints, tenant, from, to))];
  return { from: earlier.envelope, to: later.envelope, path };
}

function found(checkpoint: LoggedCheckpoint | null): LoggedCheckpoint {
  if (checkpoint === null) throw new Problem('WYRD_SPEC_404_NOT_FOUND', 'no checkpoint of that size');
  return checkpoint;
}

export function showCheckpoint({ size, closed_at, sha256, envelope }: LoggedCheckpoint): ShownCheckpoint {
  return { size, closed_at, digest: sha256, checkpoint: envelope };
}
