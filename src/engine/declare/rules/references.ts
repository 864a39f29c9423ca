import type { JsonObject } from '#contract/json.ts';
import { verdictSchema } from '../../citations/verdict-schema.ts';
import { hasWildcard } from '../../references/parse.ts';
import type { Reference } from '../../references/reference.ts';
import { type Context, report, type StepEntry, toReference, wholeSlot } from '../context.ts';
import { extractSchema } from '../extract-schema.ts';
import { rulesOut } from '../known-fields.ts';
import { agentOf } from '../resolve-agent.ts';
import { toFormats } from '../slot-formats.ts';
import type { Graph } from './graph.ts';

/** Where a reference stands (docs/spec/verification.md §6, table of positions). */
export interface Position {
  readonly place: 'action' | 'when' | 'step_check' | 'check';
  /** The path of §14.3 that findings are reported at. */
  readonly path: string;
  readonly wildcard: boolean;
  /** Owner of a step requirement. */
  readonly step?: string;
}

type Broken = readonly [rule: string, message: string];

/** Reports the first rule that a reference breaks; true when it breaks none. `graph` is there once it has been built. */
export function checkReference(
  context: Context,
  reference: Reference,
  position: Position,
  graph: Graph | null,
): boolean {
  const broken =
    brokenPosition(reference, position) ??
    brokenName(context, reference) ??
    brokenOrder(reference, position, graph) ??
    brokenField(context, reference);
  if (broken !== undefined) report(context, broken[0], position.path, broken[1]);
  return broken === undefined;
}

function brokenPosition(reference: Reference, { place, wildcard }: Position): Broken | undefined {
  if (!wildcard && hasWildcard(reference)) return ['wildcard_position', '[*] stands only in `each`'];
  if (reference.root === 'current' && (place === 'action' || place === 'when')) {
    return ['requirement_position', 'a step has no current requirement'];
  }
  return undefined;
}

function brokenName(context: Context, reference: Reference): Broken | undefined {
  if (reference.root === 'input') {
    return context.slots.has(reference.slot) ? undefined : ['unknown_reference', `no slot ${reference.slot}`];
  }
  if (reference.root === 'current') return undefined;
  const entry = context.steps.get(reference.step);
  if (entry === undefined) return ['unknown_reference', `no step ${reference.step}`];
  if (reference.root !== 'verdict' || entry.requirements.has(reference.requirement)) return undefined;
  return ['unknown_reference', `step ${reference.step} has no requirement ${reference.requirement}`];
}

function brokenOrder(reference: Reference, { place, step }: Position, graph: Graph | null): Broken | undefined {
  if (place === 'action' || place === 'when') return undefined;
  if (reference.root === 'verdict') return ['verdict_position', 'requirements never feed each other'];
  if (place !== 'step_check' || !('step' in reference) || step === undefined) return undefined;
  if (graph === null || graph.stages === null || reference.step === step) return undefined;
  if (graph.upstream.get(step)?.has(reference.step)) return undefined;
  return ['step_position', `step ${reference.step} is not upstream of step ${step}`];
}

function brokenField(context: Context, reference: Reference): Broken | undefined {
  if (!('selector' in reference) || reference.selector.length === 0) return undefined;
  const schema = schemaOf(context, reference);
  if (schema === undefined || !rulesOut(schema, reference.selector)) return undefined;
  return ['missing_field', `${reference.text} is never there`];
}

/** What is known at declaration of the values a reference reads into. */
function schemaOf(context: Context, reference: Reference): JsonObject | boolean | undefined {
  if (reference.root === 'input') {
    const slot = context.slots.get(reference.slot);
    const schema = typeof slot === 'object' && slot.type === 'json' ? slot.schema : undefined;
    return typeof schema === 'boolean' || isSchemaObject(schema) ? schema : undefined;
  }
  const entry = reference.root === 'output' ? context.steps.get(reference.step) : undefined;
  return entry === undefined ? undefined : outputSchema(context, entry);
}

function isSchemaObject(schema: unknown): schema is JsonObject {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

function outputSchema(context: Context, { step: { action } }: StepEntry): JsonObject | undefined {
  if (action.kind === 'code') return undefined;
  if (action.kind === 'extract') {
    const slot = context.slots.get(wholeSlot(toReference(action.from)) ?? '');
    const formats = typeof slot === 'object' && slot.type === 'media' ? toFormats(slot.formats) : [];
    return formats.length === 0 ? undefined : extractSchema(formats);
  }
  const format = agentOf(context, action).agent?.format;
  switch (format?.kind) {
    case 'text':
      return { type: 'string' };
    case 'schema':
      return format.schema;
    case 'verdict':
      return verdictSchema(['any'], {
        ...(format.data === undefined ? {} : { data: format.data }),
        require_quote: false,
      });
    case undefined:
      return undefined;
  }
}
