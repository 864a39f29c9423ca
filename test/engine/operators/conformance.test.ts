import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { type CheckOutcome, type Comparison, decodeOperator, judgeEach, judgePath } from '#engine/operators/index.ts';
import { parseReference } from '#engine/references/parse.ts';
import { select, selectEach } from '#engine/references/select.ts';
import { conformanceCases, onlyCheck } from './conformance-cases.ts';

const options = { api: 'wyrd/v1', allow_empty: false, min_items: 0 } as const;

function comparisonOf(wire: Json, expected: Json): Comparison {
  const decoded = decodeOperator(wire);
  if (!decoded.ok) throw new Error(decoded.message);
  return { operator: decoded.operator, expected, normalize: 'none' };
}

const files = ['type', 'text', 'numeric', 'collection', 'tolerance'].map((family) => `operators-${family}`);

describe.each(files)('%s', (file) => {
  const cases = conformanceCases(file);

  it.each(cases.map((found) => [found.id, found] as const))('%s', (_, { given, expect: expected }) => {
    const assert = given.assert as JsonObject;
    const comparison = comparisonOf(assert.operator ?? null, assert.expected ?? null);
    const evidence: JsonObject = assert.absent === true ? {} : { x: assert.value ?? null };
    const outcome = judgePath(select(evidence, ['x']), comparison, options);
    expect(outcome).toMatchObject(expectationOf(expected));
  });
});

function expectationOf({ outcome, reason, actual, text }: JsonObject): Partial<CheckOutcome> {
  return {
    outcome: outcome as CheckOutcome['outcome'],
    ...(reason === undefined ? {} : { code: reason as CheckOutcome['code'] }),
    ...(actual === undefined ? {} : { actual }),
    ...(text === undefined ? {} : { reason: text as string }),
  };
}

/** Cases whose single assert reads a json slot that was sent, so that nothing but these functions is needed. */
const reading = ['references', 'each', 'missing'].flatMap(conformanceCases).filter(({ given }) => {
  const check = onlyCheck(given);
  const reference = parseReference(check?.path ?? check?.each ?? '');
  if (check?.kind !== 'assert' || !reference.ok || reference.reference.root !== 'input') return false;
  const { inputs } = given.verifier as { inputs: Record<string, JsonObject> };
  const { slot } = reference.reference;
  return inputs[slot]?.type === 'json' && Object.hasOwn(given.evidence as JsonObject, slot);
});

describe('reading evidence', () => {
  it('finds the cases', () => expect(reading.length).toBeGreaterThanOrEqual(25));

  it.each(reading.map((found) => [found.id, found] as const))('%s', (_, { given, expect: expected }) => {
    const check = onlyCheck(given);
    const parsed = parseReference(check?.path ?? check?.each ?? '');
    if (check === undefined || !parsed.ok || parsed.reference.root !== 'input') throw new Error('not an assert');
    const value = (given.evidence as JsonObject)[parsed.reference.slot] ?? null;
    const comparison = comparisonOf(check.operator, check.expected ?? null);
    const outcome =
      check.each === undefined
        ? judgePath(select(value, parsed.reference.selector), comparison, options)
        : judgeEach(selectEach(value, parsed.reference.selector), comparison, options);
    const requirement = (expected.requirements as JsonObject).r ?? null;
    expect(outcome).toMatchObject(
      typeof requirement === 'string' ? { outcome: requirement } : expectationOf(requirement as JsonObject),
    );
  });
});
