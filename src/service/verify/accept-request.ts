import { Problem } from '#contract/errors.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { RunInput } from '#engine/index.ts';
import type { Verifier } from '#engine/plan.ts';
import { isObject, memberOf } from '#engine/values/kind.ts';
import type { Principal } from '../auth/principal.ts';
import { requirePermission, requireVerifier } from '../auth/principal.ts';
import { admittedPermissions } from '../auth/tool-permissions.ts';
import type { CompiledVerifier, CompilePorts } from '../cards/compiled-verifiers.ts';
import { compiledVerifier } from '../cards/compiled-verifiers.ts';
import { membershipsOf } from '../groups/membership.ts';
import type { Execution, ExecutionOrigin, ExecutionRequest } from '../ports/executions.ts';
import type { BindingState } from '../ports/registry.ts';
import { toRfc3339 } from '../time.ts';
import { findTarget, type TargetPorts } from './find-target.ts';
import { type PinPorts, pinInputs } from './pin-inputs.ts';
import { checkRouteOverrides } from './route-overrides.ts';

export interface AcceptPorts extends TargetPorts, PinPorts, CompilePorts {}

/** The body of `execute` and `enqueue` (docs/spec/wire.md §6.1), its form already checked. */
export interface VerificationRequest {
  readonly verifier_card_uid: string;
  readonly card_uid: string;
  readonly run_id: string | null;
  readonly group_id: string | null;
  readonly inputs: JsonObject;
  readonly execution_route_overrides: JsonObject;
  readonly deployment_environment: string | null;
  /** Owner version named by the caller's header. */
  readonly workload_uid: string | null;
}

/** A request that nothing refuses: what will be judged, by what, on which pinned inputs. */
export interface AcceptedRequest {
  readonly binding: BindingState;
  readonly target: CompiledVerifier;
  readonly pinned: ExecutionRequest;
}

/** Every refusal of a request that can be known before anything runs (docs/spec/wire.md §6.2, §6.4). */
export async function acceptRequest(
  ports: AcceptPorts,
  principal: Principal,
  request: VerificationRequest,
): Promise<AcceptedRequest> {
  requireVerifier(principal, request.verifier_card_uid);
  // A file of an Artifact is read with the caller's own right to it, whoever may run the Verifier.
  if (Object.values(request.inputs).some(isArtifact)) requirePermission(principal, ['artifacts:read']);
  const binding = await findTarget(ports, principal, request);
  const target = await compiledVerifier(ports, principal.tenant, binding);
  if (target.verifier.mode === 'window') {
    throw new Problem('WYRD_VERIFICATION_422_INPUT_UNSUPPORTED', 'this Verifier judges windows of samples', {
      field: '/verifier',
    });
  }
  checkRouteOverrides(target.verifier, request.execution_route_overrides);
  const pinned = await pinInputs(ports, principal.tenant, target.verifier, request.inputs);
  const { execution_route_overrides: route_overrides, deployment_environment } = request;
  const member_of = await membershipsOf(ports, principal, binding, request);
  return {
    binding,
    target,
    pinned: {
      ...pinned,
      route_overrides,
      deployment_environment,
      ...admittedPermissions(target.verifier, principal),
      ...(member_of.length === 0 ? {} : { member_of }),
    },
  };
}

function isArtifact(input: Json): boolean {
  return isObject(input) && memberOf(input, 'kind') === 'artifact';
}

/** The execution of an accepted request, not yet stored. */
export function newExecution(
  accepted: AcceptedRequest,
  request: VerificationRequest,
  made: {
    readonly execution_id: string;
    readonly status: 'pending' | 'running';
    readonly origin: ExecutionOrigin;
    readonly principal: string;
    /** Milliseconds since the epoch. */
    readonly created_at: number;
  },
): Execution {
  return {
    ...made,
    verdict: null,
    verifier: accepted.target.verifier_ref,
    subject: accepted.target.subject_ref,
    binding_id: accepted.binding.binding_id,
    owner_card_uid: accepted.binding.owner_uid,
    group_id: request.group_id,
    run_id: request.run_id,
    error: null,
    created_at: toRfc3339(made.created_at),
    ended_at: null,
    request: accepted.pinned,
    result: null,
    record: null,
  };
}

/** What the engine is given for an execution: the same for every attempt, driver and host, so outcomes are too. */
export function runInputOf(verifier: Verifier, execution: Pick<Execution, 'created_at' | 'request'>): RunInput {
  const { inputs, not_stored, route_overrides, window } = execution.request;
  return {
    started_at: execution.created_at,
    inputs,
    not_stored,
    ...(window === undefined ? {} : { window }),
    route_overrides: checkRouteOverrides(verifier, route_overrides),
  };
}
