import type { FitPorts } from '../drift/fit-baseline.ts';
import { type GroupPorts, ringGroup } from '../groups/ring-group.ts';
import type { Workflow } from '../ports/attempts.ts';
import { baselineOfDueId } from '../ports/baselines.ts';
import type { Deliveries } from '../ports/deliver.ts';
import { dispatchOfDueId } from '../ports/dispatches.ts';
import type { Due, DueRows } from '../ports/due.ts';
import type { Execution } from '../ports/executions.ts';
import { groupOfDueId } from '../ports/groups.ts';
import { type OccurrencePorts, ringOccurrence } from '../schedules/ring-occurrence.ts';

export interface RingPorts extends GroupPorts, OccurrencePorts, FitPorts {
  readonly dueRows: DueRows;
  readonly workflow: Workflow;
  readonly deliveries: Deliveries;
  /** Where fits run beside the sweep, which waits for none of them; without, each is made where it is rung. */
  readonly fits?: { start(tenant: string, dueId: string): Promise<void> };
}

/** Rows of one look; the rest are the next one's. */
const limit = 1_000;
/** Rows at once: their writes share commits, and one that waits keeps no other waiting. */
const atOnce = 32;

/**
 * Rings everything that is due (docs/spec/background.md §10, sweep). Two at once do no harm: each row's write is conditional.
 * Answers how many rows it looked at; `onFailure` is told of each that could not be rung.
 */
export async function ringDue(ports: RingPorts, onFailure: (due: Due) => void = () => {}): Promise<number> {
  const due = await ports.dueRows.due({ now: ports.clock.now(), limit });
  const waiting = due.values();
  const worker = async () => {
    for (const row of waiting) await ring(ports, row, onFailure);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, due.length) }, worker));
  return due.length;
}

/** One row; never fails: it stays due, and the next sweep looks at it again (§5.7 row 14). */
export async function ring(ports: RingPorts, due: Due, onFailure: (due: Due) => void = () => {}): Promise<void> {
  try {
    const admitted = await admit(ports, due);
    if (admitted !== null) await ports.workflow.start(due.tenant, admitted.execution_id, 1);
  } catch (error) {
    ports.log.error('what is due could not be rung', {
      kind: due.kind,
      tenant: due.tenant,
      // The uid that every id begins with; what follows may be a caller's text.
      of: due.id.slice(0, 36),
      error: error instanceof Error ? error.name : 'unknown',
    });
    onFailure(due);
  }
}

async function admit(ports: RingPorts, { kind, tenant, id }: Due): Promise<Execution | null> {
  switch (kind) {
    case 'group':
      return ringGroup(ports, tenant, groupOfDueId(id));
    case 'occurrence':
      return ringOccurrence(ports, tenant, id);
    case 'baseline':
      if (ports.fits) await ports.fits.start(tenant, id);
      else await (await import('../drift/fit-baseline.ts')).fitBaseline(ports, tenant, baselineOfDueId(id));
      return null;
    case 'dispatch':
      await ports.deliveries.start(tenant, dispatchOfDueId(id));
      return null;
  }
}
