import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { decodeOperator } from '#engine/operators/index.ts';
import { assembleTrace, type SpanRecord } from '#engine/trace/assemble.ts';
import { judgeTrace } from '#engine/trace/judge-trace.ts';
import { conformanceCases, onlyCheck } from '../operators/conformance-cases.ts';

const startSeconds = 1_772_442_000n;

/** Each span starts one second after the one before (test/conformance/README.md). */
function recordOf(span: JsonObject, index: number): SpanRecord {
  const start = (startSeconds + BigInt(index)) * 1_000_000_000n;
  const { duration_ms: duration, events, ...rest } = span as unknown as JsonObject & { duration_ms?: number };
  return {
    ...(rest as unknown as SpanRecord),
    start_unix_nano: String(start),
    end_unix_nano: String(start + BigInt(duration ?? 0) * 1_000_000n),
    events: ((events ?? []) as readonly JsonObject[]).map((event) => ({
      name: '',
      ...event,
      unix_nano: String(start),
    })),
  };
}

function traceOf(evidence: JsonObject): JsonObject {
  const { trace_id: id, spans } = (evidence.run as JsonObject).$trace as {
    trace_id: string;
    spans: JsonObject[];
  };
  const assembled = assembleTrace(id, spans.map(recordOf));
  if (!assembled.ok) throw new Error(assembled.reason);
  return assembled.trace;
}

const cases = conformanceCases('traces').filter(
  ({ given }) => onlyCheck(given) !== undefined && given.mode === undefined,
);

describe('traces', () => {
  it('finds the cases', () => expect(cases.length).toBeGreaterThanOrEqual(29));

  it.each(cases.map((found) => [found.id, found] as const))('%s', (_, { given, expect: expected }) => {
    const check = onlyCheck(given);
    const decoded = decodeOperator(check?.operator ?? null);
    if (check?.span_selector === undefined || !decoded.ok) throw new Error('not a trace check');
    const outcome = judgeTrace(
      traceOf(given.evidence as JsonObject),
      {
        selector: check.span_selector,
        select: 'collapse',
        operator: decoded.operator,
        expected: check.expected ?? null,
        normalize: 'none',
      },
      { api: 'wyrd/v1', allow_empty: false },
    );
    const wanted = (expected.requirements as JsonObject).r as { outcome: string; reason?: string; actual?: Json };
    expect(outcome.outcome).toBe(wanted.outcome);
    if (wanted.reason !== undefined) expect(outcome.code).toBe(wanted.reason);
    if (wanted.actual !== undefined) expect(outcome.actual).toEqual(wanted.actual);
  });
});

describe('select: list', () => {
  const check = { operator: { kind: 'is_empty' }, expected: null, normalize: 'none', select: 'list' } as const;
  const options = { api: 'touchstone/v1', allow_empty: false } as const;

  it('keeps one match and none a list', () => {
    expect(judgeTrace({ spans: [] }, { ...check, selector: '$.spans[*]' }, options)).toMatchObject({ actual: [] });
    expect(judgeTrace({ spans: [1] }, { ...check, selector: '$.spans[*]' }, options)).toMatchObject({ actual: [1] });
  });
});
