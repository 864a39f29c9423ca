import { isNativePrompt, type NativePrompt, type Prompt, type StructuredPrompt } from '#contract/cards/prompt.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { isObject, memberOf } from '../values/kind.ts';

/** What a Prompt wants filled: text placeholders, and media placeholders with the blocks they stand in (§4.4). */
export interface Placeholders {
  readonly text: ReadonlySet<string>;
  /** Block kinds by name; a media placeholder inside text stands in a block of either kind. */
  readonly media: ReadonlyMap<string, ReadonlySet<'image' | 'document' | 'any'>>;
}

/** Linear: every alternative begins with another character than the one before it could continue with. */
const pattern = /\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}|\$\{(media:)?([A-Za-z_][A-Za-z0-9_]*)\}/g;

interface Collector {
  readonly text: Set<string>;
  readonly media: Map<string, Set<'image' | 'document' | 'any'>>;
}

export function placeholdersOf(prompt: Prompt): Placeholders {
  const found: Collector = { text: new Set(), media: new Map() };
  if (isNativePrompt(prompt)) collectBody(prompt.body, found);
  else collectStructured(prompt, found);
  return found;
}

/** Whether the `system` text of a Prompt holds a media placeholder, which is refused. */
export function hasMediaInSystem(prompt: StructuredPrompt): boolean {
  const found: Collector = { text: new Set(), media: new Map() };
  collectText(prompt.system ?? '', found);
  return found.media.size > 0;
}

function collectStructured(prompt: StructuredPrompt, found: Collector): void {
  collectText(prompt.system ?? '', found);
  for (const { content } of prompt.messages) {
    if (typeof content === 'string') collectText(content, found);
    else for (const block of content) collectBlock(block, found);
  }
}

function collectBlock(
  block: Exclude<StructuredPrompt['messages'][number]['content'], string>[number],
  found: Collector,
): void {
  if (block.type === 'text') {
    collectText(block.text, found);
    return;
  }
  addMedia(block.source.slice('${media:'.length, -1), block.type, found);
}

function collectText(text: string, found: Collector): void {
  for (const match of text.matchAll(pattern)) {
    const [, braces, isMedia, dollar = ''] = match;
    if (braces !== undefined) found.text.add(braces);
    else if (isMedia === undefined) found.text.add(dollar);
    else addMedia(dollar, 'any', found);
  }
}

function addMedia(name: string, kind: 'image' | 'document' | 'any', found: Collector): void {
  const kinds = found.media.get(name) ?? new Set();
  found.media.set(name, kinds.add(kind));
}

/** Every text of a native body. The depth of a spec is bounded before. */
function collectBody(value: Json, found: Collector): void {
  if (typeof value === 'string') collectText(value, found);
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) collectBody(item, found);
}

const schemaPlaces: readonly (readonly string[])[] = [
  ['response_format', 'json_schema', 'schema'],
  ['text', 'format', 'schema'],
  ['generation_config', 'response_json_schema'],
  ['generation_config', 'response_schema'],
  ['output_config', 'format', 'schema'],
];

/** The JSON Schema that a native body asks its provider for, at the places where providers have it. */
export function nativeSchema(prompt: NativePrompt): JsonObject | undefined {
  for (const place of schemaPlaces) {
    let value: Json | undefined = prompt.body;
    for (const step of place) value = isObject(value) ? memberOf(value, step) : undefined;
    if (isObject(value)) return value;
  }
  return undefined;
}
