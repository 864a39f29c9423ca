import type { Verifier } from '#engine/plan.ts';
import type { ExecutionRequest } from '../ports/executions.ts';
import { type Permission, rolePermissions } from './permissions.ts';
import type { Principal } from './principal.ts';

/**
 * What is kept of the caller with an execution whose agents have tools: they act with the caller's own permissions, also
 * when they run later (docs/spec/verification.md §4.4).
 */
export function admittedPermissions(
  verifier: Verifier,
  principal: Principal,
): Pick<ExecutionRequest, 'tool_permissions'> {
  return hasTools(verifier) ? { tool_permissions: [...principal.permissions].sort() } : {};
}

/** Work that nobody called, on a schedule or at the end of a group, has those of a workload. */
export function toolPermissions({ tool_permissions }: ExecutionRequest): ReadonlySet<Permission> {
  return new Set(tool_permissions ?? rolePermissions.workload);
}

function hasTools({ steps, requirements }: Verifier): boolean {
  const calls = [...steps.map(({ action }) => action), ...requirements.map(({ check }) => check)];
  return calls.some((call) => call.kind === 'agent' && call.tool_names.length > 0);
}
