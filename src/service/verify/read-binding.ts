import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Principal } from '../auth/principal.ts';
import type { Clock } from '../ports.ts';
import type { Executions } from '../ports/executions.ts';
import type { ApiKeys } from '../ports/keys.ts';
import type { Registry } from '../ports/registry.ts';
import { toRfc3339 } from '../time.ts';
import { isActive, type Readiness, readinessOf } from './activity.ts';

export interface BindingPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly executions: Executions;
  readonly keys: ApiKeys;
}

/** docs/spec/wire.md §6.7. */
export interface BindingView {
  readonly binding_id: string;
  readonly owner_card_uid: string;
  readonly card_uid: string;
  readonly verifier_card_uid: string;
  readonly active: boolean;
  readonly readiness: Readiness;
  readonly next_run_at: null;
  readonly last_activated_at: string | null;
  readonly last_execution_id: string | null;
  readonly group_end?: Json;
}

export async function readBinding(ports: BindingPorts, principal: Principal, bindingId: string): Promise<BindingView> {
  const binding = isUuidV7(bindingId) ? await ports.registry.binding(principal.tenant, bindingId) : null;
  const hidden = principal.verifier_uids !== null && !principal.verifier_uids.includes(binding?.verifier_uid ?? '');
  if (!binding || hidden) throw new Problem('WYRD_VERIFICATION_404_BINDING_NOT_FOUND', 'no such binding');
  const keyless = !(await ports.keys.any());
  const last = await ports.executions.lastOfBindings(principal.tenant, [bindingId]);
  const frozen: JsonObject = binding.frozen;
  return {
    binding_id: binding.binding_id,
    owner_card_uid: binding.owner_uid,
    card_uid: binding.subject_uid,
    verifier_card_uid: binding.verifier_uid,
    active: isActive(binding, ports.clock.now(), keyless),
    readiness: readinessOf(binding),
    next_run_at: null,
    last_activated_at: binding.activated_at === null ? null : toRfc3339(binding.activated_at),
    last_execution_id: last.get(bindingId) ?? null,
    ...(frozen.group_end === undefined ? {} : { group_end: frozen.group_end }),
  };
}
