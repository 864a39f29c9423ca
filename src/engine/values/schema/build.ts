import type { Json, JsonObject } from '#contract/json.ts';
import { isObject } from '../kind.ts';
import type { Resource, SchemaNode } from './evaluation.ts';
import { failure, type Keyword, type KeywordContext, subMap } from './keyword.ts';
import { inPlaceKeywords } from './keywords-in-place.ts';
import { lastListKeywords, listKeywords } from './keywords-list.ts';
import { lastObjectKeywords, objectKeywords } from './keywords-object.ts';
import { valueKeywords } from './keywords-value.ts';

/** A schema document while it is compiled: every subschema once, references still open. */
export interface Document {
  readonly root: SchemaNode;
  readonly resources: Map<string, Resource>;
  readonly nodes: Map<JsonObject, SchemaNode>;
  readonly references: OpenReference[];
  /** Pattern → where it stands first. */
  readonly patterns: Map<string, string>;
  usesUnevaluated: boolean;
}

export interface OpenReference {
  readonly text: string;
  readonly resource: Resource;
  /** JSON Pointer of the reference keyword. */
  readonly pointer: string;
  target: SchemaNode | null;
}

/** Definitions refuse nothing; they are compiled because references and anchors point into them. */
const definitions: Keyword = (value, context) => {
  subMap(value, context);
  return null;
};

const table: ReadonlyMap<string, Keyword> = new Map<string, Keyword>(
  Object.entries({
    $defs: definitions,
    definitions,
    ...valueKeywords,
    ...objectKeywords,
    ...listKeywords,
    ...inPlaceKeywords,
    ...lastObjectKeywords,
    ...lastListKeywords,
  }),
);

/** Base of relative identifiers in a schema that has none; it names nothing that could be fetched. */
const anonymousUri = 'schema:///';

export function buildDocument(schema: JsonObject | boolean): Document {
  const resource = newResource(anonymousUri, schema);
  const document = {
    resources: new Map([[resource.uri, resource]]),
    nodes: new Map<JsonObject, SchemaNode>(),
    references: [],
    patterns: new Map<string, string>(),
    usesUnevaluated: false,
  };
  const root = buildNode(document, schema, '', resource);
  if (root.resource === resource) resource.anchors.set('', root);
  return { ...document, root };
}

/** Depth follows the nesting of the document, which is bounded where it was parsed; references are not followed here. */
export function buildNode(
  document: Omit<Document, 'root'>,
  schema: Json,
  pointer: string,
  parent: Resource,
): SchemaNode {
  if (!isObject(schema)) return { pointer, resource: parent, constant: schema === true, checks: [] };
  const known = document.nodes.get(schema);
  if (known !== undefined) return known;
  const resource = resourceOf(document, schema, parent);
  const node: SchemaNode = { pointer, resource, constant: null, checks: [] };
  document.nodes.set(schema, node);
  if (resource !== parent) resource.anchors.set('', node);
  nameAnchors(schema, node);
  for (const [keyword, compileKeyword] of table) {
    if (!Object.hasOwn(schema, keyword)) continue;
    if (keyword.startsWith('unevaluated')) document.usesUnevaluated = true;
    const check = compileKeyword(schema[keyword] ?? null, contextOf(document, keyword, schema, node));
    if (check !== null) node.checks.push(check);
  }
  return node;
}

function contextOf(
  document: Omit<Document, 'root'>,
  keyword: string,
  schema: JsonObject,
  node: SchemaNode,
): KeywordContext {
  const { pointer, resource } = node;
  return {
    keyword,
    schema,
    pointer,
    sub: (subschema, path) => buildNode(document, subschema, pointer + path, resource),
    reference: (text) => {
      const open: OpenReference = { text, resource, pointer: `${pointer}/${keyword}`, target: null };
      document.references.push(open);
      return () => open.target ?? { ...node, constant: false };
    },
    pattern: (text, path) => {
      if (!document.patterns.has(text)) document.patterns.set(text, pointer + path);
    },
    fail: failure(keyword, pointer),
  };
}

function resourceOf(document: Omit<Document, 'root'>, schema: JsonObject, parent: Resource): Resource {
  const id = schema.$id;
  if (typeof id !== 'string') return parent;
  const uri = withoutFragment(resolveUri(id, parent.uri));
  const resource = newResource(uri, schema);
  if (!document.resources.has(uri)) document.resources.set(uri, resource);
  return resource;
}

function newResource(uri: string, root: Json): Resource {
  return { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
}

function nameAnchors(schema: JsonObject, node: SchemaNode): void {
  const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
  if (typeof anchor === 'string') node.resource.anchors.set(anchor, node);
  if (typeof dynamicAnchor !== 'string') return;
  node.resource.anchors.set(dynamicAnchor, node);
  node.resource.dynamicAnchors.set(dynamicAnchor, node);
}

/** RFC 3986 resolution; a text that is no reference at all stays as it is and then names nothing. */
export function resolveUri(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? reference;
}

export function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash === -1 ? uri : uri.slice(0, hash);
}
