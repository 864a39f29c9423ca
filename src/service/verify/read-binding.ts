import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Principal } from '../auth/principal.ts';
import { baselinesOfVerifier, type Readiness, type ReadinessPorts, readinessOf } from '../drift/readiness.ts';
import { baselineFormat } from '../ports/baselines.ts';
import type { Executions } from '../ports/executions.ts';
import type { Page, PageRequest } from '../ports/page.ts';
import type { BindingFilter, BindingState, Registry } from '../ports/registry.ts';
import type { Occurrence, Schedules } from '../ports/schedules.ts';
import type { Clock } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { type ActivityPorts, isActive, type OwnerKeys, ownerKeys } from './activity.ts';

export interface BindingPorts extends ReadinessPorts, ActivityPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly executions: Executions;
  readonly schedules: Schedules;
}

/** docs/spec/wire.md §6.7. */
export interface BindingView {
  readonly binding_id: string;
  readonly owner_card_uid: string;
  readonly card_uid: string;
  readonly verifier_card_uid: string;
  readonly active: boolean;
  readonly readiness: Readiness;
  readonly next_run_at: string | null;
  readonly last_activated_at: string | null;
  readonly last_execution_id: string | null;
  readonly group_end?: Json;
}

/** Another tenant's id is an unknown one. */
export async function readBinding(ports: BindingPorts, principal: Principal, bindingId: string): Promise<BindingView> {
  const binding = await requireBinding(ports, principal, bindingId);
  return viewOf(ports, principal, binding, await ownerKeys(ports, principal.tenant));
}

/** Newest first (docs/spec/wire.md §10). */
export async function listBindings(
  ports: BindingPorts,
  principal: Principal,
  filter: BindingFilter,
  page: PageRequest,
): Promise<Page<BindingView>> {
  const found = await ports.registry.listBindings(principal.tenant, filter, page);
  const shown = found.items.filter((binding) => isShown(principal, binding));
  const keys = await ownerKeys(ports, principal.tenant);
  const items = await Promise.all(shown.map((binding) => viewOf(ports, principal, binding, keys)));
  return { items, next: found.next };
}

/** What became of the last occurrences of a schedule, or of groups that were due (docs/spec/background.md §3.6). */
export async function readOccurrences(
  ports: BindingPorts,
  principal: Principal,
  bindingId: string,
): Promise<{ readonly items: readonly Occurrence[] }> {
  const binding = await requireBinding(ports, principal, bindingId);
  return { items: await ports.schedules.occurrences(principal.tenant, binding.binding_id) };
}

/** An administrator activates an owner as its own exchange would (docs/spec/background.md §3.4). */
export async function activateBinding(
  ports: BindingPorts,
  principal: Principal,
  bindingId: string,
): Promise<BindingView> {
  const binding = await requireBinding(ports, principal, bindingId);
  if (binding.owner_status !== 'active') {
    throw new Problem('WYRD_SPEC_409_CONFLICT', 'the owner of the binding was deleted');
  }
  await ports.registry.activate(principal.tenant, binding.owner_uid, ports.clock.now());
  return readBinding(ports, principal, bindingId);
}

/**
 * Baselines that could not be fitted are fitted again (docs/spec/background.md §6.5). A fit under an older rule is never
 * fitted again: the Verifier needs a new version.
 */
export async function refitBinding(ports: BindingPorts, principal: Principal, bindingId: string): Promise<BindingView> {
  const binding = await requireBinding(ports, principal, bindingId);
  const { tenant } = principal;
  for (const { place, state } of await baselinesOfVerifier(ports, tenant, binding.verifier_uid)) {
    if (state?.status === 'ready' && state.format !== baselineFormat) {
      throw new Problem('WYRD_VERIFICATION_409_BASELINE_LEGACY', 'the baseline was fitted under another rule');
    }
    await ports.baselines.retry(tenant, place, ports.clock.now());
  }
  return viewOf(ports, principal, binding, await ownerKeys(ports, tenant));
}

async function requireBinding(ports: BindingPorts, principal: Principal, bindingId: string): Promise<BindingState> {
  const binding = isUuidV7(bindingId) ? await ports.registry.binding(principal.tenant, bindingId) : null;
  if (binding && isShown(principal, binding)) return binding;
  throw new Problem('WYRD_VERIFICATION_404_BINDING_NOT_FOUND', 'no such binding');
}

function isShown({ verifier_uids }: Principal, { verifier_uid }: BindingState): boolean {
  return verifier_uids === null || verifier_uids.includes(verifier_uid);
}

async function viewOf(
  ports: BindingPorts,
  { tenant }: Principal,
  binding: BindingState,
  keys: OwnerKeys,
): Promise<BindingView> {
  const { binding_id } = binding;
  const [last, schedule, readiness] = await Promise.all([
    ports.executions.lastOfBindings(tenant, [binding_id]),
    ports.schedules.find(tenant, binding_id),
    readinessOf(ports, tenant, binding),
  ]);
  const wasActivated = keys.keyless || binding.activated_at !== null;
  const frozen: JsonObject = binding.frozen;
  return {
    binding_id,
    owner_card_uid: binding.owner_uid,
    card_uid: binding.subject_uid,
    verifier_card_uid: binding.verifier_uid,
    active: isActive(binding, ports.clock.now(), keys),
    readiness,
    next_run_at: wasActivated && schedule !== null ? toRfc3339(schedule.next_at) : null,
    last_activated_at: binding.activated_at === null ? null : toRfc3339(binding.activated_at),
    last_execution_id: last.get(binding_id) ?? null,
    ...(frozen.group_end === undefined ? {} : { group_end: frozen.group_end }),
  };
}
