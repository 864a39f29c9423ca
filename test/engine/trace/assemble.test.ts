import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { assembleTrace, type SpanRecord } from '#engine/trace/assemble.ts';

const second = 1_000_000_000n;
const start = 1_770_000_000n * second;

function span(id: string, startsAt: bigint, more: Partial<SpanRecord> = {}): SpanRecord {
  return {
    span_id: id,
    name: id,
    start_unix_nano: String(startsAt),
    end_unix_nano: String(startsAt + second),
    ...more,
  };
}

function spansOf(records: readonly SpanRecord[]): readonly JsonObject[] {
  const assembled = assembleTrace('0AF7651916CD43DD8448EB211C80319C', records);
  if (!assembled.ok) throw new Error(assembled.reason);
  expect(assembled.trace.trace_id).toBe('0af7651916cd43dd8448eb211c80319c');
  return assembled.trace.spans as readonly JsonObject[];
}

describe('assembleTrace', () => {
  it('writes every field', () => {
    const record = span('B7AD6B7169203331', start + 1_500_000n, {
      end_unix_nano: String(start + 3_999_999n),
      kind: 'client',
      status: { code: 'error', description: 'timed out' },
      attributes: { 'a.b': 1 },
      events: [{ unix_nano: String(start + 2n), name: 'e' }],
      links: [{ trace_id: 'AA', span_id: 'BB' }],
    });
    expect(spansOf([record])).toEqual([
      {
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        span_id: 'b7ad6b7169203331',
        parent_span_id: null,
        name: 'B7AD6B7169203331',
        kind: 'client',
        start_time: '2026-02-02T02:40:00.001500Z',
        end_time: '2026-02-02T02:40:00.003999999Z',
        duration_ms: 2,
        status: { code: 'error', description: 'timed out' },
        attributes: { 'a.b': 1 },
        events: [
          { timestamp: '2026-02-02T02:40:00.000000002Z', name: 'e', attributes: {}, dropped_attributes_count: 0 },
        ],
        links: [{ trace_id: 'aa', span_id: 'bb', trace_state: '', flags: 0, attributes: {} }],
      },
    ]);
  });

  it('orders by start, to the nanosecond, then by id, and takes a repeated span once', () => {
    const records = [span('c', start + 1n), span('b', start), span('a', start), span('B', start, { name: 'again' })];
    expect(spansOf(records).map((found) => found.span_id)).toEqual(['a', 'b', 'c']);
    expect(spansOf(records)[1]?.name).toBe('b');
  });

  it('fills what was not sent, and a clock that ran backwards gives 0', () => {
    const [found] = spansOf([span('a', start, { end_unix_nano: String(start - 1n), parent_span_id: '' })]);
    expect(found).toMatchObject({ parent_span_id: null, kind: 'internal', status: { code: 'unset' }, duration_ms: 0 });
    expect(found).toMatchObject({ attributes: {}, events: [], links: [], start_time: '2026-02-02T02:40:00Z' });
  });

  it('refuses what is above its limits or no time', () => {
    const many = Array.from({ length: 10_001 }, (_, index) => span(index.toString(16), start));
    expect(assembleTrace('a', many)).toEqual({ ok: false, reason: 'too_many_spans' });
    const large = [span('a', start, { attributes: { text: 'x'.repeat(17 * 1024 * 1024) } })];
    expect(assembleTrace('a', large)).toEqual({ ok: false, reason: 'too_large' });
    let deep: JsonObject = {};
    for (let depth = 0; depth < 20_000; depth += 1) deep = { a: deep };
    expect(assembleTrace('a', [span('a', start, { attributes: deep })])).toEqual({ ok: false, reason: 'malformed' });
    expect(assembleTrace('a', [span('a', start, { start_unix_nano: '-1' })])).toEqual({
      ok: false,
      reason: 'malformed',
    });
  });
});
