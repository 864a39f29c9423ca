import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { call, declareDesk } from './target.ts';

const spec: JsonObject = {
  inputs: { run: { type: 'trace' } },
  requirements: [
    {
      id: 'looked-up',
      statement: 'The policy was looked up before the refund',
      check: {
        kind: 'trace',
        on: 'inputs.run',
        span_selector: '$.spans[*].name',
        operator: 'equals',
        expected: ['answer', 'lookup-policy', 'refund'],
      },
    },
  ],
};

/** An export of OTLP as JSON; `padding` makes it larger than what the store keeps beside its rows. */
function exportOf(traceId: string, names: readonly string[], padding = ''): JsonObject {
  const began = BigInt(Date.now()) * 1_000_000n;
  const spans = names.map((name, index) => ({
    traceId,
    spanId: String(index + 1).padStart(16, '0'),
    ...(index === 0 ? {} : { parentSpanId: '1'.padStart(16, '0') }),
    name,
    kind: 1,
    startTimeUnixNano: String(began + BigInt(index)),
    endTimeUnixNano: String(began + BigInt(index) + 1_000n),
    attributes: [{ key: 'note', value: { stringValue: padding } }],
  }));
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: 'acceptance' }, spans }] }] } as JsonObject;
}

describe('traces', () => {
  it.each([
    ['a small one', ''],
    ['one of half a megabyte', 'x'.repeat(180_000)],
  ])('%s is received, lands and is judged as evidence', { timeout: 60_000 }, async (_title, padding) => {
    const desk = await declareDesk(spec);
    const traceId = randomBytes(16).toString('hex');
    const body = exportOf(traceId, ['answer', 'lookup-policy', 'refund'], padding);
    const received = await call('POST', '/v1/traces', { body });
    expect(received.status, received.text).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const judged = await desk.execute({ run: { kind: 'trace', trace_id: traceId } });
    expect(judged.json.outcome, judged.text.slice(0, 500)).toMatchObject({ verdict: 'passed' });
    const pinned = judged.json.outcome.evidence.run;
    expect(pinned).toMatchObject({ kind: 'trace', trace_id: traceId });
  });

  it('that nobody knows is inconclusive, never passed', async () => {
    const desk = await declareDesk(spec);
    const judged = await desk.execute({ run: { kind: 'trace', trace_id: randomBytes(16).toString('hex') } });
    expect(judged.json.outcome.verdict).toBe('inconclusive');
  });
});
