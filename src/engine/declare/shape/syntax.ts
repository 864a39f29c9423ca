import { agentSchema } from '#contract/cards/agent.ts';
import type { Dialect } from '#contract/cards/envelope.ts';
import { promptSchema } from '#contract/cards/prompt.ts';
import type { ErrorCode } from '#contract/errors.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { decodeOperator } from '../../operators/index.ts';
import { parseReference } from '../../references/parse.ts';
import { checkSelectorShape } from '../../trace/parse-selector.ts';
import { isList, isObject, memberOf } from '../../values/kind.ts';
import { promptProblems } from '../prompt-problems.ts';
import { readNamedFormat } from '../response-format.ts';
import { exceededCallLimits } from './limits.ts';
import type { Path } from './measure.ts';

export interface SyntaxFault {
  readonly path: Path;
  readonly message: string;
  readonly code?: ErrorCode;
  /** Found only after everything else could be decoded. */
  readonly late?: true;
}

interface Walk {
  readonly dialect: Dialect;
  readonly faults: SyntaxFault[];
}

/**
 * The grammar of texts inside a spec that the Card schema takes as texts: references, operators, selectors, file paths,
 * inline Prompts (docs/spec/verification.md §14.2). Tolerant: whatever is of another type is left to the schema.
 */
export function syntaxFaults(spec: JsonObject, dialect: Dialect): readonly SyntaxFault[] {
  const walk: Walk = { dialect, faults: [] };
  checkOrder(spec, walk);
  for (const [position, step] of listOf(spec, 'steps').entries()) checkStep(step, ['steps', position], walk);
  checkRequirements(spec, [], walk);
  return walk.faults;
}

function listOf(owner: JsonObject, name: string): readonly Json[] {
  const list = memberOf(owner, name);
  return isList(list) ? list : [];
}

function checkOrder(spec: JsonObject, walk: Walk): void {
  const order = memberOf(spec, 'order_by');
  if (typeof order === 'string' && order.startsWith('inputs')) checkReference(spec, 'order_by', [], walk);
}

function checkStep(step: Json, path: Path, walk: Walk): void {
  if (!isObject(step)) return;
  const action = memberOf(step, 'action');
  const when = memberOf(step, 'when');
  if (isObject(action)) checkCall(action, [...path, 'action'], walk);
  if (isObject(when)) {
    checkReference(when, 'path', [...path, 'when'], walk);
    checkOperator(when, [...path, 'when'], walk);
  }
  checkRequirements(step, path, walk);
}

function checkRequirements(owner: JsonObject, path: Path, walk: Walk): void {
  for (const [position, requirement] of listOf(owner, 'requirements').entries()) {
    const check = isObject(requirement) ? memberOf(requirement, 'check') : undefined;
    if (isObject(check)) checkCheck(check, [...path, 'requirements', position, 'check'], walk);
  }
}

function checkCheck(check: JsonObject, path: Path, walk: Walk): void {
  checkCall(check, path, walk);
  for (const name of ['path', 'each', 'on']) checkReference(check, name, path, walk);
  checkOperator(check, path, walk);
  const selector = memberOf(check, 'span_selector');
  if (typeof selector === 'string' && !checkSelectorShape(selector)) {
    walk.faults.push({ path: [...path, 'span_selector'], message: 'not a JSONPath selector' });
  }
  const format = memberOf(check, 'response_format');
  const reading = isObject(format) ? readNamedFormat(format) : undefined;
  if (reading?.ok === false && reading.problem.shape) {
    walk.faults.push({
      path: [...path, 'response_format', ...reading.problem.place],
      message: reading.problem.message,
    });
  }
  const signal = memberOf(check, 'signal');
  if (isObject(signal)) checkTarget(memberOf(signal, 'baseline_ref'), [...path, 'signal', 'baseline_ref'], walk);
}

/** The members of actions and of checks that call something; both have the same names. */
function checkCall(call: JsonObject, path: Path, walk: Walk): void {
  for (const fault of exceededCallLimits(call)) walk.faults.push({ ...fault, path: [...path, ...fault.path] });
  checkReference(call, 'from', path, walk);
  const inputs = memberOf(call, 'inputs');
  if (isObject(inputs)) for (const name of Object.keys(inputs)) checkReference(inputs, name, [...path, 'inputs'], walk);
  checkWorkspace(memberOf(call, 'workspace'), [...path, 'workspace'], walk);
  const source = memberOf(call, 'source');
  if (isObject(source)) checkArtifact(source, [...path, 'source'], walk);
  checkAgent(memberOf(call, 'agent'), [...path, 'agent'], walk);
}

function checkWorkspace(workspace: Json | undefined, path: Path, walk: Walk): void {
  if (!isObject(workspace)) return;
  for (const [name, entry] of Object.entries(workspace)) {
    if (isObject(entry)) checkArtifact(entry, [...path, name], walk);
    else checkReference(workspace, name, path, walk);
  }
}

function checkArtifact(owner: JsonObject, path: Path, walk: Walk): void {
  const artifact = memberOf(owner, 'artifact');
  if (isObject(artifact)) checkTarget(memberOf(artifact, 'card'), [...path, 'artifact', 'card'], walk);
}

function checkReference(owner: JsonObject, name: string, path: Path, walk: Walk): void {
  const text = memberOf(owner, name);
  if (typeof text !== 'string' || parseReference(text).ok) return;
  walk.faults.push({ path: [...path, name], message: 'not a reference' });
}

function checkOperator(owner: JsonObject, path: Path, walk: Walk): void {
  const wire = memberOf(owner, 'operator');
  const decoded = wire === undefined ? undefined : decodeOperator(wire);
  if (decoded?.ok === false) walk.faults.push({ path: [...path, 'operator'], message: decoded.message });
}

/** A reference to a Card: no file path may be left over, and the flat dialect has no spaces. */
function checkTarget(target: Json | undefined, path: Path, walk: Walk): void {
  if (typeof target === 'string') {
    const code = 'WYRD_REGISTRY_400_UNRESOLVED_PATH_REF';
    walk.faults.push({ path, code, message: 'a file path that no loader resolved' });
  }
  if (!isObject(target) || walk.dialect === 'spaced') return;
  const sibling = memberOf(target, 'sibling');
  const ref = isObject(sibling) ? sibling : target;
  if (Object.hasOwn(ref, 'kind') && Object.hasOwn(ref, 'space')) {
    walk.faults.push({ path: [...path, ...(ref === target ? [] : ['sibling']), 'space'], message: 'unknown field' });
  }
}

function isInline(target: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(target, name));
}

function checkAgent(target: Json | undefined, path: Path, walk: Walk): void {
  if (!isObject(target) || !isInline(target, ['prompt', 'execution_route'])) {
    checkTarget(target, path, walk);
    return;
  }
  checkPrompt(memberOf(target, 'prompt'), [...path, 'prompt'], walk);
  const agent = agentSchema.safeParse(target);
  if (agent.success && (agent.data.verified_by ?? []).length > 0) {
    walk.faults.push({ path: [...path, 'verified_by'], message: 'an inline Agent has no bindings', late: true });
  }
}

function checkPrompt(target: Json | undefined, path: Path, walk: Walk): void {
  if (!isObject(target) || !isInline(target, ['messages', 'body', 'provider'])) {
    checkTarget(target, path, walk);
    return;
  }
  const prompt = promptSchema.safeParse(target);
  if (!prompt.success) return;
  for (const problem of promptProblems(prompt.data)) {
    walk.faults.push({ path: [...path, ...problem.path], message: problem.message });
  }
}
