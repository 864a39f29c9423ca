import type { ClaimAnswer, MachineStart } from '#contract/machine.ts';
import { deadlineOf, leaseMs } from '../submit/rules.ts';
import type { MachinePorts } from './replay.ts';

/**
 * First step of an attempt. Under the same lease it answers the same again; `end` when another worker has the execution,
 * or it is settled, or not due (docs/spec/background.md §1.1).
 */
export async function claimStep(ports: MachinePorts, start: MachineStart): Promise<ClaimAnswer> {
  const { tenant, execution_id, lease } = start;
  const now = ports.clock.now();
  const claimed = await ports.attempts.claim(tenant, execution_id, { lease, now, lease_until: now + leaseMs });
  if (claimed === null) return { next: 'end' };
  const { attempt, lease_until } = claimed;
  return { next: 'advance', place: { tenant, execution_id, lease, attempt, deadline: deadlineOf(lease_until) } };
}
