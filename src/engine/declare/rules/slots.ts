import type { AuthoredSlot } from '#contract/cards/verifier.ts';
import { reservedSlot } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { hasWildcard, parseReference, parseSource } from '../../references/parse.ts';
import { isObject } from '../../values/kind.ts';
import { compileSchema } from '../../values/schema.ts';
import { type Context, judgeStrictly, report } from '../context.ts';
import { patternsIn, pay } from '../pattern-cost.ts';
import { sortedEntries } from './graph.ts';

/** Slots by name, then `order_by` (docs/spec/verification.md §3.1, §14.3). */
export function checkSlots(context: Context): void {
  for (const [name, slot] of sortedEntries(context.spec.inputs)) {
    const path = `inputs.${name}`;
    if (name === reservedSlot) report(context, 'slot', path, `the name ${reservedSlot} is reserved`);
    else if (typeof slot === 'string') checkSource(context, slot, path);
    else checkTyped(context, slot, path);
  }
  checkOrder(context);
}

function checkSource(context: Context, text: string, path: string): void {
  if (parseSource(text).ok) return;
  const expected = 'verifiers.<name>.inputs.<slot> or verifiers.<name>.requirements.<id>.outcome';
  report(context, 'source', path, `a source is ${expected}`);
}

function checkTyped(context: Context, slot: Exclude<AuthoredSlot, string>, path: string): void {
  if (slot.type === 'media') {
    if (slot.formats.length === 0) report(context, 'slot', path, 'a media slot takes at least one format');
    if (slot.max_bytes === 0) report(context, 'slot', path, 'max_bytes is at least 1');
  }
  if (slot.type === 'samples' && slot.features.length === 0) {
    report(context, 'slot', path, 'a samples slot measures at least one feature');
  }
  if (slot.type === 'json') checkSchema(context, slot.schema ?? null, path);
}

export function isSchema(schema: Json): schema is JsonObject | boolean {
  return typeof schema === 'boolean' || isObject(schema);
}

function checkSchema(context: Context, schema: Json, path: string): void {
  if (schema === null) return;
  if (!isSchema(schema)) {
    report(context, 'slot', path, 'a schema is an object or a boolean');
    return;
  }
  if (!patternsIn(schema).every((pattern) => pay(context.patterns, pattern))) {
    report(context, 'slot', path, 'the patterns of the Verifier are too large together');
    return;
  }
  const compiled = compileSchema(schema);
  if (!compiled.ok) judgeStrictly(context, 'slot', path, `the schema does not compile: ${compiled.message}`);
}

function checkOrder(context: Context): void {
  const order = context.spec.order_by ?? null;
  const problem = order === null ? undefined : orderProblem(context, order);
  if (problem !== undefined) report(context, 'order_by', 'order_by', problem);
}

function orderProblem(context: Context, order: string): string | undefined {
  const hasSource = [...context.slots.values()].some((slot) => typeof slot === 'string');
  if (!hasSource) return 'order_by needs a source slot';
  if (order === 'recorded_at') return undefined;
  const parsed = parseReference(order);
  if (!parsed.ok || parsed.reference.root !== 'input') return 'order_by is recorded_at or inputs.<source slot>…';
  if (hasWildcard(parsed.reference)) return 'order_by has no wildcard';
  const slot = context.slots.get(parsed.reference.slot);
  if (typeof slot !== 'string') return `${parsed.reference.slot} is no source slot`;
  const source = parseSource(slot);
  return source.ok && source.source.kind === 'outcome' ? 'an outcome slot has nothing to order by' : undefined;
}
