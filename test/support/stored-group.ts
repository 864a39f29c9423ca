import { v7 } from 'uuid';
import type { Attempts } from '#service/ports/attempts.ts';
import { noConsequences } from '#service/ports/consequences.ts';
import type { GroupPlace, GroupTouch } from '#service/ports/group-touch.ts';
import type { HeadMove } from '#service/ports/groups.ts';
import { keyRow, pendingExecution } from './stored-things.ts';

export const groupStart = Date.parse('2026-03-02T09:00:00.000Z');

export function someGroup(): GroupPlace {
  return { binding_id: v7(), group_id: `order#${v7()}` };
}

/** Evidence of that group, by a new member if none is given. */
export function touchOf(place: GroupPlace, due_at: number | null, execution_id: string = v7()): GroupTouch {
  return { ...place, member: { execution_id, verifier_uid: '01900000-0000-7000-8000-00000000000a' }, due_at };
}

/** An execution that is running under the lease `held`, with these touches of its admission. */
export async function runningMember(
  { attempts }: { readonly attempts: Attempts },
  tenant: string,
  touches: readonly GroupTouch[] = [],
): Promise<string> {
  const execution = pendingExecution();
  const { execution_id } = execution;
  await attempts.admit(tenant, execution, keyRow(), touches);
  await attempts.claim(tenant, execution_id, { lease: 'held', now: groupStart, lease_until: groupStart + 360_000 });
  return execution_id;
}

/** Settles it with these consequences. */
export function settleMember(
  { attempts }: { readonly attempts: Attempts },
  tenant: string,
  executionId: string,
  { touches = [], head = null, lease = 'held' }: SettledMember,
): Promise<boolean> {
  return attempts.settle(tenant, executionId, lease, {
    status: 'completed',
    verdict: 'failed',
    result: '{"outcome":{"verdict":"failed"}}',
    record: null,
    error: null,
    ended_at: new Date(groupStart + 9_000).toISOString(),
    consequences: { ...noConsequences, touches, head },
  });
}

interface SettledMember {
  readonly touches?: readonly GroupTouch[];
  readonly head?: HeadMove | null;
  readonly lease?: string;
}
