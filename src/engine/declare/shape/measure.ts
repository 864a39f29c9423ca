import { cardLimits } from '#contract/cards/shared.ts';
import type { Json } from '#contract/json.ts';
import { utf8Length } from '../../values/canonical.ts';

export type Path = readonly (string | number)[];

export interface Fault {
  readonly path: Path;
  readonly message: string;
}

export interface Measure {
  readonly tooLarge: boolean;
  readonly faults: readonly Fault[];
}

const maxFaults = 100;

/** `size` counts bytes of compact JSON and stops the walk once it is above the limit. */
interface Walk {
  size: number;
  readonly faults: Fault[];
  readonly path: (string | number)[];
}

/**
 * Size, depth and text of a spec in one bounded walk (docs/spec/verification.md §1.6). Ends after 256 KiB of compact
 * JSON, whatever was sent, and goes no deeper than the limit.
 */
export function measure(spec: Json): Measure {
  const walk: Walk = { size: 0, faults: [], path: [] };
  visit(spec, walk);
  return { tooLarge: walk.size > cardLimits.specBytes, faults: walk.faults };
}

function fault(walk: Walk, message: string): void {
  if (walk.faults.length < maxFaults) walk.faults.push({ path: [...walk.path], message });
}

function visit(value: Json, walk: Walk): void {
  if (walk.size > cardLimits.specBytes) return;
  if (typeof value === 'string') {
    addText(value, walk);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) fault(walk, 'a number that JSON cannot hold');
    walk.size += String(value).length;
  } else if (typeof value === 'object' && value !== null) {
    visitInside(value, walk);
  } else {
    walk.size += String(value).length;
  }
}

function addText(text: string, walk: Walk): void {
  if (text.length > cardLimits.specBytes) {
    walk.size += text.length;
    return;
  }
  if (!text.isWellFormed()) fault(walk, 'text with a lone surrogate');
  walk.size += utf8Length(JSON.stringify(text));
}

function visitInside(value: Exclude<Json, null | boolean | number | string>, walk: Walk): void {
  walk.size += 2;
  if (walk.path.length >= cardLimits.depth) {
    fault(walk, `nested deeper than ${cardLimits.depth}`);
    return;
  }
  if (Array.isArray(value)) {
    for (const [position, item] of value.entries()) {
      if (walk.size > cardLimits.specBytes) return;
      if (position > 0) walk.size += 1;
      descend(position, item, walk);
    }
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    if (walk.size > cardLimits.specBytes) return;
    addText(name, walk);
    walk.size += 2;
    descend(name, item, walk);
  }
}

function descend(step: string | number, value: Json, walk: Walk): void {
  walk.path.push(step);
  visit(value, walk);
  walk.path.pop();
}
