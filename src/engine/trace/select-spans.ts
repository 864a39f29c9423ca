import type { Json } from '#contract/json.ts';
import { isList, isObject, memberOf } from '../values/kind.ts';
import { testHolds } from './judge-test.ts';
import type { Path, Segment, SpanSelector, Test } from './selector.ts';
import { charge, TooMuchWork, type Work } from './work.ts';

export type SpanSelection =
  | { readonly ok: true; readonly matches: readonly Json[] }
  /** The selector asks for more work than one check may take: I, as a selector that does not parse. */
  | { readonly ok: false };

/** Selects from an assembled trace; matches in document order (docs/spec/verification.md §9.3). */
export function selectSpans(trace: Json, selector: SpanSelector): SpanSelection {
  const work: Work = { steps: 0, root: trace, rooted: new Map(), settled: new Map(), follow: followPath };
  try {
    const matches = followPath(selector.path, trace, work);
    return { ok: true, matches: selector.length ? lengthOf(selector.path, matches) : matches };
  } catch (error) {
    if (error instanceof TooMuchWork) return { ok: false };
    throw error;
  }
}

/** Values at a path; `current` is what `@` stands for. */
function followPath(path: Path, current: Json, work: Work): readonly Json[] {
  if (path.root === '@') return follow(path.segments, current, work);
  const known = work.rooted.get(path);
  if (known !== undefined) return known;
  const values = follow(path.segments, work.root, work);
  work.rooted.set(path, values);
  return values;
}

function follow(segments: readonly Segment[], start: Json, work: Work): readonly Json[] {
  let places: Json[] = [start];
  for (const segment of segments) {
    const next: Json[] = [];
    for (const place of places) {
      charge(work, 1);
      collect(segment, place, next, work);
    }
    places = next;
  }
  return places;
}

function collect(segment: Segment, place: Json, into: Json[], work: Work): void {
  switch (segment.kind) {
    case 'keys':
      if (isObject(place)) for (const key of segment.keys) push(memberOf(place, key), into);
      break;
    case 'indexes':
      if (isList(place)) for (const index of segment.indexes) push(place[index], into);
      break;
    case 'slice':
      if (isList(place)) collectSlice(segment, place, into, work);
      break;
    case 'wildcard':
      for (const child of childrenOf(place, work)) into.push(child);
      break;
    case 'descent':
      collectKey(segment.key, place, into, work);
      break;
    case 'descent_all':
      collectAll(place, into, work);
      break;
    case 'filter':
      collectTested(segment.test, place, into, work);
  }
}

/** The members of a list, or else the value itself. */
function collectTested(test: Test, place: Json, into: Json[], work: Work): void {
  for (const tested of isList(place) ? childrenOf(place, work) : [place]) {
    if (testHolds(test, tested, work)) into.push(tested);
  }
}

function push(value: Json | undefined, into: Json[]): void {
  if (value !== undefined) into.push(value);
}

function childrenOf(place: Json, work: Work): readonly Json[] {
  const children = isList(place) ? place : isObject(place) ? Object.values(place) : [];
  charge(work, children.length);
  return children;
}

/** The object's own member comes first, then what is below each of its members. */
function collectKey(key: string, place: Json, into: Json[], work: Work): void {
  if (isObject(place)) push(memberOf(place, key), into);
  for (const child of childrenOf(place, work)) collectKey(key, child, into, work);
}

function collectAll(place: Json, into: Json[], work: Work): void {
  for (const child of childrenOf(place, work)) {
    into.push(child);
    collectAll(child, into, work);
  }
}

/** A bound outside the list selects nothing; an end of 0 is the length. */
function collectSlice(
  slice: Extract<Segment, { kind: 'slice' }>,
  list: readonly Json[],
  into: Json[],
  work: Work,
): void {
  const start = resolveBound(slice.start ?? 0, list.length);
  const end = resolveBound(slice.end === null || slice.end === 0 ? list.length : slice.end, list.length);
  if (start === null || end === null) return;
  for (let index = start; index < end; index += slice.step) {
    charge(work, 1);
    push(list[index], into);
  }
}

function resolveBound(bound: number, length: number): number | null {
  const place = bound < 0 ? bound + length : bound;
  return place < 0 || place > length ? null : place;
}

/** `.length()`: of the matches after a segment that selects several, else of the first match if it is a list. */
function lengthOf(path: Path, matches: readonly Json[]): readonly Json[] {
  const [first] = matches;
  if (first === undefined) return [];
  const last = path.segments.at(-1);
  if (last !== undefined && selectsSeveral(last)) return [matches.length];
  return isList(first) ? [first.length] : [];
}

function selectsSeveral(segment: Segment): boolean {
  switch (segment.kind) {
    case 'keys':
      return segment.keys.length > 1;
    case 'indexes':
      return segment.indexes.length > 1;
    case 'descent':
      return false;
    case 'slice':
    case 'wildcard':
    case 'descent_all':
    case 'filter':
      return true;
  }
}
