import type { VerificationResult } from '#contract/result.ts';
import { touchesOf } from '../groups/membership.ts';
import { makeDispatches } from '../operators/make-dispatches.ts';
import { type Consequences, noConsequences } from '../ports/consequences.ts';
import type { Execution } from '../ports/executions.ts';
import type { Groups } from '../ports/groups.ts';
import type { Registry } from '../ports/registry.ts';

export interface ConsequencePorts {
  readonly registry: Registry;
  readonly groups: Groups;
}

/**
 * What a verdict of background work brings about (docs/spec/background.md §7.4, §5.5, §5.8): Operators on a failure of a
 * binding's submitted or scheduled work and on a changed verdict of a group; groups that its result is evidence of. A
 * replay brings about nothing.
 */
export async function consequencesOf(
  ports: ConsequencePorts,
  tenant: string,
  execution: Execution,
  settled: { readonly outcome: VerificationResult['outcome']; readonly ended_at: string },
): Promise<Consequences> {
  if (execution.binding_id === null || execution.origin === 'replay') return noConsequences;
  const binding = await ports.registry.binding(tenant, execution.binding_id);
  if (binding === null) return noConsequences;
  const { verdict } = settled.outcome;
  if (execution.origin !== 'group_end' || execution.group_id === null) {
    const touches = await touchesOf(ports, tenant, execution, Date.parse(settled.ended_at));
    const work = { execution, ...settled, previous: null };
    return { touches, head: null, dispatches: verdict === 'failed' ? makeDispatches(binding, 'on_failure', work) : [] };
  }
  const place = { binding_id: binding.binding_id, group_id: execution.group_id };
  const head = (await ports.groups.find(tenant, place))?.head ?? null;
  // Ids are in the order of admission: a later judgment has settled already, and this one is history.
  if (head !== null && head.execution_id > execution.execution_id) return noConsequences;
  const changed = head !== null && head.verdict !== verdict;
  return {
    touches: [],
    head: { ...place, before: head?.execution_id ?? null, verdict },
    dispatches: changed ? makeDispatches(binding, 'on_verdict_change', { execution, ...settled, previous: head }) : [],
  };
}
