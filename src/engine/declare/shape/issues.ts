import type { z } from 'zod';
import type { Json } from '#contract/json.ts';
import { isList, isObject, memberOf } from '../../values/kind.ts';
import type { Fault, Path } from './measure.ts';

type Issue = z.core.$ZodIssue;

/** A branch of a union that the value is certainly not meant for. */
const another = 1000;

/** The faults that the schema found, each at the member it is about (docs/spec/verification.md §14.2). */
export function toFaults(root: Json, issues: readonly Issue[]): readonly Fault[] {
  return issues.flatMap((issue) => faultsOf(root, issue, []));
}

function faultsOf(root: Json, issue: Issue, base: Path): readonly Fault[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown field' }));
    case 'invalid_key':
      return [{ path, message: 'the name does not follow its grammar' }];
    case 'invalid_union':
      return unionFaults(root, issue, path);
    default:
      return [{ path, message: at(root, path) === undefined ? 'missing' : messageOf(issue) }];
  }
}

function messageOf(issue: Issue): string {
  return issue.message.replace(/^Invalid input: /, '');
}

/** The faults of the branch that the author most likely meant. */
function unionFaults(root: Json, issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): readonly Fault[] {
  const value = at(root, path);
  if (value === undefined) return [{ path, message: 'missing' }];
  const branches = issue.errors.map((issues) => ({ issues, distance: distanceOf(value, issues) }));
  const nearest = branches.sort((left, right) => left.distance - right.distance)[0];
  if (nearest !== undefined && nearest.distance < another) {
    return nearest.issues.flatMap((inner) => faultsOf(root, inner, path));
  }
  const words = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
  const message = words.length > 0 ? `expected one of ${words.map(String).join(', ')}` : 'of no accepted form';
  return [{ path, message }];
}

function distanceOf(value: Json, issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + distanceOfIssue(value, issue), 0);
}

function distanceOfIssue(value: Json, issue: Issue): number {
  if (issue.code === 'unrecognized_keys') return issue.path.length === 0 ? issue.keys.length : 0;
  if (issue.path.length === 0) {
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return another;
    return Math.min(...issue.errors.map((inner) => distanceOf(value, inner)));
  }
  const [step] = issue.path;
  const isMissing =
    issue.path.length === 1 && typeof step === 'string' && isObject(value) && !Object.hasOwn(value, step);
  return isMissing ? 1 : 0;
}

/** The value at a path, own members only. */
function at(root: Json, path: Path): Json | undefined {
  let value: Json | undefined = root;
  for (const step of path) {
    if (isObject(value)) value = memberOf(value, String(step));
    else if (isList(value) && typeof step === 'number') value = value[step];
    else return undefined;
  }
  return value;
}
