import type { JsonObject } from '#contract/json.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import { declareCards } from '#service/cards/declare.ts';
import type { HostPorts } from '#service/ports/host.ts';
import { card, desk, sibling, uniqueKey } from './embedded-host.ts';

const tenant = 'main';

export interface DeclaredWindow {
  readonly owner_uid: string;
  readonly verifier_uid: string;
  readonly subject_uid: string;
}

/** Declares a window Verifier of these checks that runs on a trigger, and the Data Card of its baseline if it has one. */
export async function declareWindow(
  ports: HostPorts,
  checks: Readonly<Record<string, JsonObject>>,
  trigger: JsonObject = { kind: 'schedule', cron: '*/5 * * * *' },
): Promise<DeclaredWindow> {
  const administrator = {
    tenant,
    id: 'administrator',
    permissions: new Set(rolePermissions.admin),
    verifier_uids: null,
    card_uid: null,
  };
  const [prompt, agent] = desk();
  const bound = { verifier: sibling('Verifier', 'steady'), runs_on: trigger };
  const component = { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by: [bound] };
  const hasBaseline = JSON.stringify(checks).includes('baseline_ref');
  const declareAll = (submissions: readonly JsonObject[]) =>
    declareCards(ports, administrator, { submissions, key: uniqueKey() });
  // A reference by name is to what stands already.
  if (hasBaseline) await declareAll([card('Data', 'baseline', { interface: { kind: 'Parquet' } })]);
  const { answer } = await declareAll([
    prompt as JsonObject,
    agent as JsonObject,
    card('Verifier', 'steady', windowSpec(checks)),
    card('Service', 'desk', { components: [component] }),
  ]);
  const owner_uid = answer.root.uid ?? '';
  const [binding] = await ports.registry.bindingsOf(tenant, owner_uid);
  return { owner_uid, verifier_uid: binding?.verifier_uid ?? '', subject_uid: binding?.subject_uid ?? '' };
}

/** A window Verifier of these checks, by requirement. */
export function windowSpec(checks: Readonly<Record<string, JsonObject>>): JsonObject {
  const features = new Set(Object.values(checks).flatMap(({ signal }) => featuresOf(signal as JsonObject)));
  return {
    inputs: { sample: { type: 'samples', features: [...features] } },
    requirements: Object.entries(checks).map(([id, check]) => ({ id, statement: `${id} is steady`, check })),
  };
}

function featuresOf({ name, features }: JsonObject): readonly string[] {
  return typeof name === 'string' ? [name] : (features as unknown as readonly string[]);
}

/** The latency is 1, and no baseline is needed to see it. */
export const steadyCheck: JsonObject = {
  kind: 'drift',
  on: 'inputs.sample',
  method: 'Custom',
  signal: { kind: 'Metric', name: 'latency' },
  condition: { kind: 'Statistical' },
  profile: { kind: 'Custom', metric_name: 'latency', baseline_value: 1, alert_threshold: 1 },
};

/** The same against a baseline. */
export const chartedCheck: JsonObject = {
  kind: 'drift',
  on: 'inputs.sample',
  method: 'Spc',
  signal: {
    kind: 'Distribution',
    baseline_ref: { kind: 'Data', name: 'baseline', version: '1.0.0' },
    features: ['latency'],
  },
  condition: { kind: 'Statistical' },
  profile: { kind: 'Spc', sample_size: 2 },
};

/** Whether a feature is spread as its baseline is, above a fixed threshold. */
export function psiCheck(
  baseline: string,
  feature: string,
  binning_strategy: JsonObject = { kind: 'EqualWidth', n_bins: 2 },
): JsonObject {
  return {
    kind: 'drift',
    on: 'inputs.sample',
    method: 'Psi',
    signal: {
      kind: 'Distribution',
      baseline_ref: { kind: 'Data', name: baseline, version: '1.0.0' },
      features: [feature],
    },
    condition: { kind: 'Statistical' },
    profile: { kind: 'Psi', binning_strategy, threshold: { kind: 'Fixed', value: 0.25 } },
  };
}
