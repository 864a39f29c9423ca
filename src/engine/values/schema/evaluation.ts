import type { Json } from '#contract/json.ts';

/** One place in the document under validation; its pointer is only written out for a violation. */
export interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
}

export interface Violation {
  /** JSON Pointer into the value. */
  readonly pointer: string;
  /** The keyword that refused; `false` for a schema that is false, `$limit` when validation was given up. */
  readonly keyword: string;
  /** JSON Pointer of the schema object in its document, the keyword not included. */
  readonly schemaPointer: string;
}

/** What one validation has spent and found. Mutable, never leaves the module. */
export interface Run {
  steps: number;
  depth: number;
  /** Above 0, failures are looked for but not written down: inside `anyOf`, `not`, `if`, `contains`. */
  silent: number;
  exceeded: boolean;
  readonly violations: Violation[];
  /** Schema resources entered so far, for `$dynamicRef`. */
  readonly scope: Resource[];
  /** Whether annotations are kept, because some schema has an `unevaluated…` keyword. */
  readonly tracks: boolean;
}

/** The members and items of one value that some keyword has evaluated (JSON Schema 2020-12 core §11). */
export interface Seen {
  allNames: boolean;
  readonly names: Set<string>;
  /** Items below this index. */
  items: number;
  readonly picked: Set<number>;
}

export interface Resource {
  readonly uri: string;
  readonly root: Json;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** True when the value passes; false after having reported why not. */
export type Check = (value: Json, at: Place | null, run: Run, seen: Seen | null) => boolean;

/** One schema object or boolean, compiled. */
export interface SchemaNode {
  readonly pointer: string;
  readonly resource: Resource;
  /** Set for boolean schemas. */
  readonly constant: boolean | null;
  readonly checks: Check[];
}

/**
 * Bounds of one validation. A schema is hostile: `$ref` chains can double the work at every level and `$ref: "#"` never
 * ends. Steps are counted for schema applications and for the loops inside keywords; recursion stays inside the stack.
 */
const maxSteps = 2_000_000;
const maxDepth = 512;
const maxViolations = 10;

export function newRun(tracks: boolean): Run {
  return { steps: 0, depth: 0, silent: 0, exceeded: false, violations: [], scope: [], tracks };
}

export function newSeen(run: Run): Seen | null {
  return run.tracks ? { allNames: false, names: new Set(), items: 0, picked: new Set() } : null;
}

/** Pays for `steps` units of work; false when the validation has to be given up. */
export function charge(run: Run, steps: number): boolean {
  run.steps += steps;
  if (run.steps > maxSteps) run.exceeded = true;
  return !run.exceeded;
}

export function evaluate(node: SchemaNode, value: Json, at: Place | null, run: Run, seen: Seen | null): boolean {
  if (!charge(run, 1)) return false;
  if (node.constant !== null) return node.constant || report(run, at, 'false', node.pointer);
  if (run.depth >= maxDepth) {
    run.exceeded = true;
    return false;
  }
  const enters = run.scope.at(-1) !== node.resource;
  if (enters) run.scope.push(node.resource);
  run.depth += 1;
  const passes = runChecks(node.checks, value, at, run, seen);
  run.depth -= 1;
  if (enters) run.scope.pop();
  return passes;
}

function runChecks(checks: readonly Check[], value: Json, at: Place | null, run: Run, seen: Seen | null): boolean {
  let passes = true;
  for (const check of checks) {
    if (check(value, at, run, seen)) continue;
    passes = false;
    if (isSettled(run)) break;
  }
  return passes;
}

/** Nothing more can be learned from a value that has failed. */
export function isSettled(run: Run): boolean {
  return run.silent > 0 || run.exceeded || run.violations.length >= maxViolations;
}

/** Applies a schema to the same value and keeps what it evaluated if it passes. */
export function evaluateInPlace(node: SchemaNode, value: Json, at: Place | null, run: Run, seen: Seen | null): boolean {
  const inner = seen === null ? null : newSeen(run);
  if (!evaluate(node, value, at, run, inner)) return false;
  if (seen !== null && inner !== null) merge(inner, seen, run);
  return true;
}

/** The same, without reporting. */
export function evaluateSilently(node: SchemaNode, value: Json, run: Run, seen: Seen | null): boolean {
  run.silent += 1;
  const passes = evaluateInPlace(node, value, null, run, seen);
  run.silent -= 1;
  return passes;
}

function merge(from: Seen, into: Seen, run: Run): void {
  charge(run, from.names.size + from.picked.size);
  if (from.allNames) into.allNames = true;
  if (from.items > into.items) into.items = from.items;
  for (const name of from.names) into.names.add(name);
  for (const index of from.picked) into.picked.add(index);
}

/** Writes a violation down; always false, for `return report(…)`. */
export function report(run: Run, at: Place | null, keyword: string, schemaPointer: string): false {
  if (run.silent === 0 && !run.exceeded && run.violations.length < maxViolations) {
    run.violations.push({ pointer: pointerOf(at), keyword, schemaPointer });
  }
  return false;
}

function pointerOf(at: Place | null): string {
  const parts: string[] = [];
  for (let place = at; place !== null; place = place.parent) parts.push(`/${escapePointer(String(place.key))}`);
  return parts.reverse().join('');
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
