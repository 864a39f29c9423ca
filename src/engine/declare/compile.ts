import { cardLimits } from '#contract/cards/shared.ts';
import { isObject } from '../values/kind.ts';
import { type Context, newContext } from './context.ts';
import { buildPlan } from './plan/build-plan.ts';
import { checkRequirement, checkStep } from './rules/blocks.ts';
import { buildGraph, type Graph } from './rules/graph.ts';
import { checkSlots } from './rules/slots.ts';
import { checkDecide, checkIds, checkModes } from './rules/spec.ts';
import { checkShape } from './shape/check-shape.ts';
import type { Compilation, CompileInput } from './types.ts';

export type { Compilation, CompileInput, ManifestFile, References, ResolvedCard } from './types.ts';

/**
 * Compiles the spec of a Verifier Card to a plan, or says everything that is wrong with it, in the contract's order
 * (docs/spec/verification.md §14). Takes arbitrary JSON, never throws on it, and its work is bounded by the limits of
 * §16 whatever was sent.
 */
export function compile(input: CompileInput): Compilation {
  const shape = checkShape(input);
  if (!shape.ok) return { ok: false, findings: shape.findings };
  const context = newContext(input, shape.spec);
  const graph = checkRules(context);
  const findings = context.findings.slice(0, cardLimits.findings);
  const isRefused = context.findings.some((finding) => finding.severity === undefined);
  if (isRefused || !isObject(input.spec)) return { ok: false, findings };
  return { ok: true, verifier: buildPlan(context, graph, input.spec), warnings: findings };
}

/** The second pass, in the order of §14.3. */
function checkRules(context: Context): Graph {
  const { spec } = context;
  checkIds(context);
  checkSlots(context);
  checkModes(context);
  checkDecide(context);
  const steps = spec.steps ?? [];
  for (const [index, step] of steps.entries()) checkStep(context, step, index);
  const graph = buildGraph(context);
  for (const [index, step] of steps.entries()) {
    for (const [position, requirement] of (step.requirements ?? []).entries()) {
      checkRequirement(context, requirement, `steps[${index}].requirements[${position}].check`, graph, step.id);
    }
  }
  for (const [position, requirement] of (spec.requirements ?? []).entries()) {
    checkRequirement(context, requirement, `requirements[${position}].check`, graph);
  }
  return graph;
}
