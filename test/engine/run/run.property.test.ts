import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { begin, isFinished, type Run, ready, settle } from '#engine/index.ts';
import { isObject } from '#engine/values/kind.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { type RandomCase, randomCase } from '#test/support/random-verifier.ts';
import { answerOf, compiled, settleInOrder } from '#test/support/settle-in-order.ts';

const first = <Item>(items: readonly Item[]) => items[0];

describe('a run', () => {
  test('ends in the same outcome in whatever order its work is settled', () => {
    fc.assert(
      fc.property(randomCase, fc.infiniteStream(fc.nat()), (one, picks) => {
        const pick = picks[Symbol.iterator]();
        const shuffled = settleInOrder(one, (items) => items[Number(pick.next().value) % items.length]);
        expect(JSON.stringify(shuffled)).toBe(JSON.stringify(settleInOrder(one, first)));
      }),
      { numRuns: numRuns(300) },
    );
  });

  test('survives serialising between any two calls', () => {
    fc.assert(
      fc.property(randomCase, (one) => {
        const copied = settleInOrder(one, first, (run) => JSON.parse(JSON.stringify(run)) as Run);
        expect(JSON.stringify(copied)).toBe(JSON.stringify(settleInOrder(one, first)));
      }),
      { numRuns: numRuns(300) },
    );
  });

  test('ends in the same outcome wherever its judging is cut', () => {
    fc.assert(
      fc.property(randomCase, fc.infiniteStream(fc.boolean()), (one, cuts) => {
        const cut = cuts[Symbol.iterator]();
        const sliced = settleInOrder(one, first, undefined, () => cut.next().value === true);
        expect(JSON.stringify(sliced)).toBe(JSON.stringify(settleInOrder(one, first)));
      }),
      { numRuns: numRuns(300) },
    );
  });

  test('does not depend on the order of independent steps or of object keys', () => {
    fc.assert(
      fc.property(randomCase, (one) => {
        const reordered: RandomCase = {
          ...one,
          spec: reverseKeys({ ...one.spec, steps: [...(one.spec.steps as JsonObject[])].reverse() }),
        };
        const outcome = settleInOrder(reordered, first);
        expect(canonicalOutcome(outcome)).toEqual(canonicalOutcome(settleInOrder(one, first)));
      }),
      { numRuns: numRuns(300) },
    );
  });

  test('ignores a second, different settlement of the same attempt', () => {
    fc.assert(
      fc.property(randomCase, (one) => {
        let run = begin(compiled(one.spec), {
          started_at: '2026-05-04T08:00:00Z',
          inputs: { doc: { kind: 'json', value: one.evidence } },
        });
        while (!isFinished(run)) {
          const [work] = ready(run);
          if (work === undefined) throw new Error('nothing to do');
          run = settle(run, work.id, { attempt: work.attempt, duration_ms: 1, result: answerOf(one, work) });
          const again = settle(run, work.id, {
            attempt: work.attempt,
            duration_ms: 9,
            result: { kind: 'output', output: 'late' },
          });
          expect(again).toBe(run);
        }
      }),
      { numRuns: numRuns(200) },
    );
  });
});

/** Lists of results in report order are compared by id; `check` keeps the authored key order. */
function canonicalOutcome(outcome: ReturnType<typeof settleInOrder>) {
  const { requirements, steps, ...rest } = outcome;
  return {
    ...rest,
    requirements: Object.fromEntries(requirements.map((one) => [one.id, one])),
    steps: Object.fromEntries(steps.map((one) => [one.id, one])),
  };
}

function reverseKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(reverseKeys) as Value;
  if (!isObject(value as never)) return value;
  return Object.fromEntries(
    Object.entries(value as object)
      .reverse()
      .map(([name, child]) => [name, reverseKeys(child)]),
  ) as Value;
}
