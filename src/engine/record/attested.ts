import type { Route } from '#contract/cards/agent.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { VerificationPredicate } from '#contract/record.ts';
import type { AgentPlan } from '../plan.ts';
import { digestOf } from '../run/capture.ts';
import type { JudgedRequirement, Run, StepState } from '../run/run.ts';

/** What a record says of the work behind a result, beyond the result itself (docs/spec/records.md §1). */
export interface AttestedWork {
  readonly judges: VerificationPredicate['judges'];
  readonly code: VerificationPredicate['code'];
  readonly extractions: VerificationPredicate['extractions'];
  readonly drift: VerificationPredicate['drift'];
  /** SHA-256 of the RFC 8785 bytes of each trace as judged, by slot. */
  readonly traces: readonly { readonly slot: string; readonly sha256: string }[];
}

type Done = Pick<JudgedRequirement, 'provenance' | 'attestation'>;

/** Blocks that called nothing, because a gap or a condition spared them, are not there. Lists are in report order. */
export function attestedWork(run: Run): AttestedWork {
  const judges: VerificationPredicate['judges'] = [];
  const code: VerificationPredicate['code'] = [];
  const extractions: VerificationPredicate['extractions'] = [];
  const drift: VerificationPredicate['drift'] = [];
  const attest = (id: string, plan: { readonly kind: string } | AgentPlan, done: Done) => {
    if (plan.kind === 'agent' && 'prompt' in plan) judges.push(...judgeOf(run, id, plan, done));
    if (plan.kind === 'code') code.push(...codeOf(id, done));
  };
  for (const [position, { id, action }] of run.verifier.steps.entries()) {
    const state = run.steps[position];
    if (state?.phase !== 'succeeded' && state?.phase !== 'failed') continue;
    attest(id, action, state);
    extractions.push(...extractionOf(id, state));
  }
  for (const [position, { id, check }] of run.verifier.requirements.entries()) {
    const state = run.requirements[position];
    if (state?.phase !== 'judged') continue;
    attest(id, check, state);
    drift.push(...driftOf(run, id, state));
  }
  const traces = run.traces.flatMap((state) =>
    state.kind === 'read' ? [{ slot: state.slot, sha256: digestOf(state.trace) }] : [],
  );
  return { judges, code, extractions, drift, traces };
}

function judgeOf(run: Run, id: string, plan: AgentPlan, { attestation }: Done): VerificationPredicate['judges'] {
  if (attestation?.kind !== 'agent') return [];
  const overrides = run.route_overrides ?? {};
  const route = (Object.hasOwn(overrides, id) ? overrides[id] : undefined) ?? plan.route;
  const { prompt_sha256, model_reported, request_sha256, response_sha256 } = attestation;
  return [
    {
      id,
      ...(plan.agent !== undefined && { agent: nameOf(plan.agent) }),
      prompt_digest: { sha256: prompt_sha256 },
      route: routeText(route, plan),
      model_reported,
      request_digest: request_sha256 === null ? null : { sha256: request_sha256 },
      response_digest: response_sha256 === null ? null : { sha256: response_sha256 },
    },
  ];
}

function nameOf({ name, version }: CardRef): string {
  return version === undefined ? name : `${name}@${version}`;
}

/** The provider that was asked, or the deployment of a gateway. */
function routeText(route: Route, { prompt }: AgentPlan): string {
  return route.kind === 'native' ? prompt.provider : `${route.kind}/${route.deployment}`;
}

function codeOf(id: string, { provenance, attestation }: Done): VerificationPredicate['code'] {
  if (provenance?.kind !== 'code') return [];
  const interpreter = attestation?.kind === 'code' ? attestation.interpreter : null;
  return [{ id, sha256: provenance.sha256, runtime: provenance.runtime, interpreter }];
}

function driftOf({ window }: Run, id: string, { attestation }: Done): VerificationPredicate['drift'] {
  if (attestation?.kind !== 'drift' || window === undefined) return [];
  const { baseline_sha256, rows_sha256, count } = attestation;
  return [
    {
      id,
      baseline_digest: baseline_sha256 === null ? null : { sha256: baseline_sha256 },
      window,
      rows_digest: { sha256: rows_sha256 },
      count,
    },
  ];
}

function extractionOf(id: string, state: StepState): VerificationPredicate['extractions'] {
  if (state.phase !== 'succeeded' || state.provenance?.kind !== 'extract') return [];
  return [{ id, version: state.provenance.version, output_digest: { sha256: digestOf(state.output) } }];
}
