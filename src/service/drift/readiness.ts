import { type BaselinePlace, type BaselineState, type Baselines, baselineFormat } from '../ports/baselines.ts';
import type { BindingState, Registry } from '../ports/registry.ts';
import { baselinesOf } from './baselines-of.ts';

/** docs/spec/background.md §3.5. */
export type Readiness = 'ready' | 'baseline_not_ready' | 'verifier_unavailable';

export interface ReadinessPorts {
  readonly registry: Registry;
  readonly baselines: Baselines;
}

/** Whether the Verifier of a binding can judge: it is there, and its baselines are fitted. */
export async function readinessOf(ports: ReadinessPorts, tenant: string, binding: BindingState): Promise<Readiness> {
  if (binding.verifier_status !== 'active' && binding.verifier_status !== 'deprecated') return 'verifier_unavailable';
  const states = await baselinesOfVerifier(ports, tenant, binding.verifier_uid);
  const isFitted = ({ state }: HeldBaseline) => state?.status === 'ready' && state.format === baselineFormat;
  return states.every(isFitted) ? 'ready' : 'baseline_not_ready';
}

interface HeldBaseline {
  readonly place: BaselinePlace;
  readonly state: BaselineState | null;
}

export async function baselinesOfVerifier(
  { registry, baselines }: ReadinessPorts,
  tenant: string,
  verifierUid: string,
): Promise<readonly HeldBaseline[]> {
  const card = await registry.byUid(tenant, verifierUid);
  const places = baselinesOf(card?.spec ?? {}).map((requirement) => ({ verifier_uid: verifierUid, requirement }));
  return Promise.all(places.map(async (place) => ({ place, state: await baselines.find(tenant, place) })));
}
