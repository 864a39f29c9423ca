import type { Json } from '#contract/json.ts';
import { isList, isObject, memberOf } from '../kind.ts';
import { buildNode, type Document, type OpenReference, resolveUri, withoutFragment } from './build.ts';
import type { Resource, SchemaNode } from './evaluation.ts';

/**
 * Closes every reference of a document, those of newly reached subschemas included. Nothing is fetched: a reference that
 * leaves the document and the `known` resources stays open, and the first such is returned.
 */
export function resolveReferences(document: Document, known: ReadonlyMap<string, Resource>): OpenReference | null {
  // The list grows while targets outside the usual places of subschemas are compiled.
  for (let index = 0; index < document.references.length; index += 1) {
    const reference = document.references[index];
    if (reference === undefined) break;
    reference.target = targetOf(document, reference, known);
    if (reference.target === null) return reference;
  }
  return null;
}

function targetOf(
  document: Document,
  reference: OpenReference,
  known: ReadonlyMap<string, Resource>,
): SchemaNode | null {
  const uri = resolveUri(reference.text, reference.resource.uri);
  const base = withoutFragment(uri);
  const resource = document.resources.get(base) ?? known.get(base);
  if (resource === undefined) return null;
  const fragment = decodeFragment(uri.slice(base.length + 1));
  if (fragment === null) return null;
  if (!fragment.startsWith('/')) return resource.anchors.get(fragment) ?? null;
  const place = descend(resource.root, fragment);
  if (place === undefined || !(isObject(place) || typeof place === 'boolean')) return null;
  const pointer = (resource.anchors.get('')?.pointer ?? '') + fragment;
  return buildNode(document, place, pointer, resource);
}

function decodeFragment(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

function descend(root: Json, pointer: string): Json | undefined {
  let place: Json | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(place)) place = /^(?:0|[1-9][0-9]{0,8})$/.test(name) ? place[Number(name)] : undefined;
    else if (isObject(place)) place = memberOf(place, name);
    else return undefined;
  }
  return place;
}
