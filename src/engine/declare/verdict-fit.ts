import type { Json, JsonObject } from '#contract/json.ts';
import { isList, isObject, memberOf } from '../values/kind.ts';
import { branchesOf, followRef, type SchemaWalk, spend, startWalk } from './schema-walk.ts';

/** What a node must show by itself; `fits` adds `$ref` and the combinators. */
type Shape = (node: JsonObject, walk: SchemaWalk) => boolean;

export type VerdictFit =
  | { readonly fits: false }
  /** `data`: the schema of a declared `data` member, when it has one. */
  | { readonly fits: true; readonly data?: JsonObject };

const words: readonly Json[] = ['passed', 'failed', 'inconclusive'];
const locatorNames = ['page', 'slide', 'lines', 'json_pointer', 'region'];

/**
 * Whether every answer that a hand-written schema lets through is a Verdict by its form (docs/spec/verification.md
 * §5.2): closed where the Verdict is closed, everything required, locators among the five. Beyond the budget: no.
 */
export function fitVerdict(schema: JsonObject, requireQuote: boolean): VerdictFit {
  const walk = startWalk(schema);
  const isVerdict: Shape = (node, at) => {
    const names = Object.keys(propertiesOf(node));
    const data = names.includes('data') ? { data: isDataObject } : {};
    return isClosed(node, at, { outcome: isOutcome, reason: isText, citations: citationsOf(requireQuote), ...data });
  };
  if (!fits(schema, isVerdict, walk)) return { fits: false };
  const data = memberOf(propertiesOf(schema), 'data');
  return isObject(data) ? { fits: true, data } : { fits: true };
}

/**
 * A schema is a conjunction of its keywords, so one of them that guarantees the shape is enough; of `anyOf` and `oneOf`
 * every branch has to.
 */
function fits(node: Json | undefined, shape: Shape, walk: SchemaWalk): boolean {
  if (!spend(walk) || !isObject(node)) return false;
  if (shape(node, walk)) return true;
  const target = followRef(walk, memberOf(node, '$ref'));
  if (target !== undefined && fits(target, shape, walk)) return true;
  if (branchesOf(node, 'allOf')?.some((branch) => fits(branch, shape, walk)) === true) return true;
  return (['anyOf', 'oneOf'] as const).some(
    (keyword) => branchesOf(node, keyword)?.every((branch) => fits(branch, shape, walk)) === true,
  );
}

function propertiesOf(node: JsonObject): JsonObject {
  const properties = memberOf(node, 'properties');
  return isObject(properties) ? properties : {};
}

function isType(node: JsonObject, kinds: readonly string[]): boolean {
  const type = memberOf(node, 'type');
  if (typeof type === 'string') return kinds.includes(type);
  return isList(type) && type.length > 0 && type.every((kind) => typeof kind === 'string' && kinds.includes(kind));
}

/** An object with exactly these members, all of them required. */
function isClosed(node: JsonObject, walk: SchemaWalk, members: Readonly<Record<string, Shape>>): boolean {
  const properties = propertiesOf(node);
  const required = memberOf(node, 'required');
  const names = Object.keys(members);
  const isShut =
    memberOf(node, 'additionalProperties') === false &&
    !Object.hasOwn(node, 'patternProperties') &&
    Object.keys(properties).every((name) => names.includes(name));
  if (!isType(node, ['object']) || !isShut || !isList(required)) return false;
  return names.every((name) => {
    const shape = members[name];
    return shape !== undefined && required.includes(name) && fits(memberOf(properties, name), shape, walk);
  });
}

const isText: Shape = (node) => isType(node, ['string']);
const isInteger: Shape = (node) => isType(node, ['integer']);
const isNumber: Shape = (node) => isType(node, ['number', 'integer']);
const isDataObject: Shape = (node) => isType(node, ['object']);

const isOutcome: Shape = (node) => {
  const values = Object.hasOwn(node, 'const') ? [memberOf(node, 'const') ?? null] : memberOf(node, 'enum');
  return isList(values) && values.length > 0 && values.every((value) => words.includes(value));
};

function citationsOf(requireQuote: boolean): Shape {
  const quote = requireQuote ? { quote: isText } : {};
  const isCitation: Shape = (node, walk) => isClosed(node, walk, { slot: isText, locator: isLocator, ...quote });
  return (node, walk) =>
    isType(node, ['array']) && !Object.hasOwn(node, 'prefixItems') && fits(memberOf(node, 'items'), isCitation, walk);
}

const isLines: Shape = (node, walk) => isClosed(node, walk, { start: isInteger, end: isInteger });
const isRegion: Shape = (node, walk) =>
  isClosed(node, walk, { page: isInteger, x: isNumber, y: isNumber, width: isNumber, height: isNumber });
const locatorShapes: Readonly<Record<string, Shape>> = {
  page: isInteger,
  slide: isInteger,
  lines: isLines,
  json_pointer: isText,
  region: isRegion,
};

const isLocator: Shape = (node, walk) => {
  const [name = '', ...others] = Object.keys(propertiesOf(node));
  const shape = locatorNames.includes(name) ? locatorShapes[name] : undefined;
  return others.length === 0 && shape !== undefined && isClosed(node, walk, { [name]: shape });
};
