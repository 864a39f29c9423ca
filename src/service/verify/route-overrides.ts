import { type Route, routeSchema } from '#contract/cards/agent.ts';
import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Verifier } from '#engine/plan.ts';
import { escapePointer } from './pin-inputs.ts';

/** Whole routes for Agent blocks of one call (docs/spec/verification.md §4.4). Refuses a name that is no Agent block. */
export function checkRouteOverrides(verifier: Verifier, overrides: JsonObject): Readonly<Record<string, Route>> {
  const blocks = agentBlocks(verifier);
  const routes = Object.entries(overrides).map(([id, route]): [string, Route] => {
    const parsed = routeSchema.safeParse(route);
    if (blocks.has(id) && parsed.success) return [id, parsed.data];
    const detail = blocks.has(id) ? 'not a route' : 'no Agent step or check has this id';
    throw new Problem('WYRD_VERIFICATION_400_INPUT_INVALID', `execution_route_overrides: ${detail}`, {
      field: `/execution_route_overrides/${escapePointer(id)}`,
    });
  });
  return Object.fromEntries(routes);
}

function agentBlocks(verifier: Verifier): ReadonlySet<string> {
  return new Set([
    ...verifier.steps.filter((step) => step.action.kind === 'agent').map((step) => step.id),
    ...verifier.requirements
      .filter((requirement) => requirement.check.kind === 'agent')
      .map((requirement) => requirement.id),
  ]);
}
