import type { AuthoredAction } from '#contract/cards/verifier.ts';
import type { Json } from '#contract/json.ts';
import type { Reference } from '../../references/reference.ts';
import { compareBytes } from '../../values/canonical.ts';
import { type Context, report, toReference } from '../context.ts';

/** The order of steps. `stages` is null when there is a cycle. */
export interface Graph {
  /** Direct dependencies by step id: known steps only, bytewise, unique. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  readonly stages: readonly (readonly string[])[] | null;
  /** All steps that are settled before a step; empty when there is a cycle. */
  readonly upstream: ReadonlyMap<string, ReadonlySet<string>>;
}

/** References of an action, in the order in which they are checked: inputs by name, then workspace by path. */
export function actionReferences(action: AuthoredAction): readonly Reference[] {
  if (action.kind === 'extract') return [toReference(action.from)];
  return callReferences(action.inputs, action.kind === 'agent' ? action.workspace : undefined);
}

type Inputs = Readonly<Record<string, string>> | undefined;
type Workspace = Readonly<Record<string, unknown>> | undefined;

export function callReferences(inputs: Inputs, workspace: Workspace): readonly Reference[] {
  const texts = [...sortedEntries(inputs), ...sortedEntries(workspace)].flatMap(([, value]) =>
    typeof value === 'string' ? [value] : [],
  );
  return texts.map(toReference);
}

/** Entries of a map in byte order of their names. */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): readonly (readonly [string, T])[] {
  return Object.entries(map ?? {}).sort(([left], [right]) => compareBytes(left, right));
}

/** Dependencies, stages and closures of the steps; reports `graph` (docs/spec/verification.md §6, §10.1, §14.3). */
export function buildGraph(context: Context): Graph {
  const dependencies = new Map<string, readonly string[]>();
  for (const [id, { step }] of context.steps) {
    const references = step.when ? [toReference(step.when.path)] : [];
    const read = [...references, ...actionReferences(step.action)].flatMap((reference) =>
      'step' in reference ? [reference.step] : [],
    );
    const known = new Set([...read, ...(step.depends_on ?? [])].filter((name) => context.steps.has(name)));
    dependencies.set(id, [...known].sort(compareBytes));
  }
  const stages = toStages(dependencies);
  if (stages === null) reportCycle(context, dependencies);
  return { dependencies, stages, upstream: stages === null ? new Map() : closures(dependencies, stages) };
}

/** Longest-path layers by counting down open dependencies: linear in steps and edges. */
function toStages(dependencies: ReadonlyMap<string, readonly string[]>): string[][] | null {
  const open = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  for (const [id, names] of dependencies) {
    open.set(id, names.length);
    for (const name of names) {
      const known = dependents.get(name);
      if (known === undefined) dependents.set(name, [id]);
      else known.push(id);
    }
  }
  const stages: string[][] = [];
  let settled = 0;
  let stage = [...dependencies.keys()].filter((id) => open.get(id) === 0);
  while (stage.length > 0) {
    stages.push(stage.sort(compareBytes));
    settled += stage.length;
    stage = nextStage(stage, dependents, open);
  }
  return settled === dependencies.size ? stages : null;
}

function nextStage(
  stage: readonly string[],
  dependents: ReadonlyMap<string, string[]>,
  open: Map<string, number>,
): string[] {
  const next: string[] = [];
  for (const dependent of stage.flatMap((id) => dependents.get(id) ?? [])) {
    const left = (open.get(dependent) ?? 0) - 1;
    open.set(dependent, left);
    if (left === 0) next.push(dependent);
  }
  return next;
}

function closures(dependencies: ReadonlyMap<string, readonly string[]>, stages: readonly string[][]) {
  const upstream = new Map<string, ReadonlySet<string>>();
  for (const id of stages.flat()) {
    const all = new Set<string>();
    for (const name of dependencies.get(id) ?? []) {
      all.add(name);
      for (const further of upstream.get(name) ?? []) all.add(further);
    }
    upstream.set(id, all);
  }
  return upstream;
}

function reportCycle(context: Context, dependencies: ReadonlyMap<string, readonly string[]>): void {
  const walk = smallestWalk(dependencies);
  const kind = walk.length === 2 ? 'self_dependency' : 'cycle';
  const error: Json = { kind, walk };
  report(context, 'graph', 'steps', `steps wait for each other: ${walk.join(' → ')}`, { error });
}

/** The shortest closed walk; among equals the one whose least id is least. At most 100 breadth-first searches of 100 steps. */
function smallestWalk(dependencies: ReadonlyMap<string, readonly string[]>): readonly string[] {
  let smallest: readonly string[] = [];
  for (const start of [...dependencies.keys()].sort(compareBytes)) {
    const walk = shortestReturn(start, dependencies);
    if (walk !== undefined && (smallest.length === 0 || walk.length < smallest.length)) smallest = walk;
  }
  return smallest;
}

/** The shortest way from a step back to itself over ids that are not less than its own. */
function shortestReturn(start: string, dependencies: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const id of queue) {
    for (const next of dependencies.get(id) ?? []) {
      if (next === start) return pathBack(start, id, cameFrom);
      if (compareBytes(next, start) < 0 || cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      queue.push(next);
    }
  }
  return undefined;
}

function pathBack(start: string, last: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const walk = [start];
  for (let id: string | undefined = last; id !== undefined && id !== start; id = cameFrom.get(id)) walk.unshift(id);
  return [start, ...walk];
}
