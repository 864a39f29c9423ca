import type { Json, JsonObject } from '#contract/json.ts';
import { canonical } from './canonical.ts';
import { checkPattern } from './regex.ts';
import { buildDocument, type Document } from './schema/build.ts';
import { evaluate, newRun, newSeen, type Resource, type Violation } from './schema/evaluation.ts';
import { metaSchema, metaSchemaUri } from './schema/meta-schema.ts';
import { resolveReferences } from './schema/resolve.ts';

export type { Violation } from './schema/evaluation.ts';

/**
 * JSON Schema 2020-12 for schemas that users write (docs/spec/verification.md §3.1). Our own evaluator, because a schema
 * is as hostile as the evidence: the libraries looked at take `constructor` for a property that is there, run `pattern`
 * on a backtracking engine, generate code, or have no bound on work. `format` is an annotation; `pattern` and
 * `patternProperties` are the dialect of §7.5; nothing is fetched.
 */
export interface CompiledSchema {
  readonly document: Document;
}

export type SchemaCompilation =
  | { readonly ok: true; readonly schema: CompiledSchema }
  | {
      readonly ok: false;
      readonly message: string;
      /** JSON Pointer into the schema. */
      readonly pointer: string;
    };

export type MetaSchemaCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly pointer: string; readonly keyword: string; readonly message: string };

/** A pattern may cost 0.1 s to refuse, so their number is bounded too. */
const maxPatterns = 128;

const meta = compileMetaSchema();

/** Valid against the 2020-12 meta-schema; patterns and references are not looked at (§5.2). */
export function checkMetaSchema(schema: Json): MetaSchemaCheck {
  const first = validate(meta, schema)[0];
  if (first === undefined) return { ok: true };
  const message = `not valid JSON Schema 2020-12: ${first.keyword} at ${first.pointer === '' ? 'the root' : first.pointer}`;
  return { ok: false, pointer: first.pointer, keyword: first.keyword, message };
}

/** The first violations, at most 10, without any value; empty when the value is valid. */
export function validate(schema: CompiledSchema, value: Json): readonly Violation[] {
  const { root, usesUnevaluated } = schema.document;
  const run = newRun(usesUnevaluated);
  evaluate(root, value, null, run, newSeen(run));
  // Given up: whatever `not` made of the unfinished parts, nothing has been shown.
  if (run.exceeded) return [{ pointer: '', keyword: '$limit', schemaPointer: '' }];
  return run.violations;
}

const byIdentity = new WeakMap<JsonObject, SchemaCompilation>();
const byText = new Map<string, SchemaCompilation>();
const maxKept = 64;
const maxKeptLength = 65_536;

/** Compiles a schema, or says what keeps it from compiling. The last ones are kept, by identity and by canonical text. */
export function compileSchema(schema: JsonObject | boolean): SchemaCompilation {
  if (typeof schema === 'boolean') return compile(schema);
  const known = byIdentity.get(schema);
  if (known !== undefined) return known;
  const text = canonical(schema);
  const compiled = byText.get(text) ?? compile(schema);
  byIdentity.set(schema, compiled);
  if (text.length <= maxKeptLength) keep(text, compiled);
  return compiled;
}

function keep(text: string, compiled: SchemaCompilation): void {
  byText.delete(text);
  byText.set(text, compiled);
  const oldest = byText.keys().next().value;
  if (byText.size > maxKept && oldest !== undefined) byText.delete(oldest);
}

function compile(schema: JsonObject | boolean): SchemaCompilation {
  const check = checkMetaSchema(schema);
  if (!check.ok) return check;
  const dialect = typeof schema === 'boolean' ? undefined : schema.$schema;
  if (typeof dialect === 'string' && dialect !== metaSchemaUri && dialect !== `${metaSchemaUri}#`) {
    return { ok: false, message: 'only JSON Schema 2020-12 is understood', pointer: '/$schema' };
  }
  return close(buildDocument(schema));
}

function close(document: Document): SchemaCompilation {
  const open = resolveReferences(document, meta.document.resources);
  if (open !== null)
    return { ok: false, message: 'a reference that leads nowhere in the schema', pointer: open.pointer };
  if (document.patterns.size > maxPatterns) {
    return { ok: false, message: `more than ${maxPatterns} patterns`, pointer: '' };
  }
  for (const [pattern, pointer] of document.patterns) {
    const check = checkPattern(pattern);
    if (!check.ok) return { ok: false, message: check.message, pointer };
  }
  return { ok: true, schema: { document } };
}

function compileMetaSchema(): CompiledSchema {
  const document = buildDocument(metaSchema);
  resolveReferences(document, new Map<string, Resource>());
  return { document };
}
