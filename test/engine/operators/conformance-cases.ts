import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#contract/json.ts';

export interface ConformanceCase {
  readonly id: string;
  readonly title: string;
  readonly given: JsonObject;
  readonly expect: JsonObject;
}

/** The cases of one file of test/conformance/verification. */
export function conformanceCases(name: string): readonly ConformanceCase[] {
  const file = new URL(`../../conformance/verification/${name}.yaml`, import.meta.url);
  return parse(readFileSync(file, 'utf8')) as readonly ConformanceCase[];
}

export interface AssertCheck {
  readonly kind: string;
  readonly path?: string;
  readonly each?: string;
  readonly on?: string;
  readonly span_selector?: string;
  readonly operator: Json;
  readonly expected?: Json;
}

/** The one requirement's check of a case, if it is the case's only one. */
export function onlyCheck(given: JsonObject): AssertCheck | undefined {
  const verifier = given.verifier as { requirements?: readonly { check: AssertCheck }[] } | undefined;
  return verifier?.requirements?.length === 1 ? verifier.requirements[0]?.check : undefined;
}
