import type { Json, JsonObject } from '#contract/json.ts';
import { type Check, escapePointer, type Place, type Run, report, type SchemaNode } from './evaluation.ts';

/** What a keyword is compiled with. Its schema has passed the meta-schema, so keyword values have their types. */
export interface KeywordContext {
  readonly keyword: string;
  readonly schema: JsonObject;
  /** JSON Pointer of the schema object. */
  readonly pointer: string;
  /** Compiles a subschema; `path` is its pointer below the schema object, e.g. `/properties/a`. */
  sub(schema: Json, path: string): SchemaNode;
  /** The target of a reference of this schema, once everything has been indexed. */
  reference(text: string): () => SchemaNode;
  /** Remembers a pattern to be checked by the linear engine. */
  pattern(text: string, path: string): void;
  /** Reports a failure of this keyword. */
  fail(run: Run, at: Place | null): false;
}

/** Makes the check of one keyword; null when it never refuses. */
export type Keyword = (value: Json, context: KeywordContext) => Check | null;

export function failure(keyword: string, pointer: string): KeywordContext['fail'] {
  return (run, at) => report(run, at, keyword, pointer);
}

/** Subschemas of a map keyword such as `properties`, by name. */
export function subMap(value: Json, context: KeywordContext): Map<string, SchemaNode> {
  const nodes = new Map<string, SchemaNode>();
  for (const [name, schema] of Object.entries(value as JsonObject)) {
    nodes.set(name, context.sub(schema, `/${context.keyword}/${escapePointer(name)}`));
  }
  return nodes;
}

/** Subschemas of a list keyword such as `allOf`. */
export function subList(value: Json, context: KeywordContext): SchemaNode[] {
  return (value as readonly Json[]).map((schema, index) => context.sub(schema, `/${context.keyword}/${index}`));
}

export function subOne(value: Json, context: KeywordContext): SchemaNode {
  return context.sub(value, `/${context.keyword}`);
}
