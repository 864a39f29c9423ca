import { setAlarms } from '../alarms/set-alarms.ts';
import { touchesOf } from '../groups/membership.ts';
import type { Alarms } from '../ports/due.ts';
import type { Execution, Executions } from '../ports/executions.ts';
import type { Registry } from '../ports/registry.ts';
import type { Clock, Log } from '../ports.ts';

export interface StorePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly executions: Executions;
  readonly alarms: Alarms;
}

/** Stores what a direct call found; its evidence makes the groups that it belongs to due (docs/spec/background.md §1.5). */
export async function storeResult(ports: StorePorts, tenant: string, execution: Execution): Promise<void> {
  const touches = await touchesOf(ports, tenant, execution, ports.clock.now());
  await ports.executions.storeSettled(tenant, execution, touches);
  await setAlarms(ports, tenant, touches);
}
