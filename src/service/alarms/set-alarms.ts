import type { Alarms, Due } from '../ports/due.ts';
import type { GroupTouch } from '../ports/group-touch.ts';
import { groupDueId } from '../ports/groups.ts';
import type { Log } from '../ports.ts';

interface AlarmPorts {
  readonly log: Log;
  readonly alarms: Alarms;
}

/** Wakes somebody for groups that are due later. What is due is durable by now; a lost alarm is found by the sweep. */
export async function setAlarms(ports: AlarmPorts, tenant: string, touches: readonly GroupTouch[]): Promise<void> {
  await Promise.all(
    touches.map(async ({ due_at, ...place }) => {
      if (due_at !== null) await setAlarm(ports, { tenant, kind: 'group', id: groupDueId(place), due_at });
    }),
  );
}

/** Never fails: see `setAlarms`. */
export async function setAlarm({ alarms, log }: AlarmPorts, due: Due): Promise<void> {
  try {
    await alarms.set(due);
  } catch (error) {
    log.warn('alarm lost, the sweep will ring it', {
      kind: due.kind,
      error: error instanceof Error ? error.name : 'unknown',
    });
  }
}
