import { expect, it } from 'vitest';
import type { SpanRecord, StoredTrace } from '#service/ports/spans.ts';
import { tracesOf } from '#service/traces/read-trace.ts';
import { impatientClock } from '#test/support/impatient-clock.ts';

const span: SpanRecord = { span_id: 'a'.repeat(16), name: 's', start_unix_nano: '1', end_unix_nano: '2' };
const id = 'b'.repeat(32);
const signal = new AbortController().signal;

/** A store that answers by the clock. */
function reading(find: (now: number) => StoredTrace | null) {
  const clock = impatientClock(0);
  const spans = { append: async () => {}, newest: async () => [], find: async () => find(clock.now()) };
  const traces = tracesOf({ spans, clock }, { settling_ms: 2_000 });
  return { clock, read: (traceId = id) => traces.read('acme', traceId, signal) };
}

const stored = (newest_at: number, spans = [span], is_cut = false) => ({ spans, newest_at, is_cut });

it('waits until nothing has arrived for the settling time', async () => {
  const { clock, read } = reading((now) =>
    now < 1_500 ? stored(0) : stored(1_500, [span, { ...span, span_id: 'c'.repeat(16) }]),
  );
  const reply = await read(id.toUpperCase());
  expect(reply).toMatchObject({ kind: 'trace', trace: { trace_id: id, spans: [{}, {}] } });
  expect(clock.now()).toBe(3_500);
});

it.each<[string, (now: number) => StoredTrace | null, string]>([
  ['nothing of it ever arrived', () => null, 'not_found'],
  ['it goes on growing', (now) => stored(now), 'not_landed'],
  ['it holds more than it may', () => stored(-9_000, [], true), 'failed'],
  ['a time of it is none', () => stored(-9_000, [{ ...span, end_unix_nano: 'x' }]), 'failed'],
])('%s: %s', async (_name, find, kind) => {
  expect((await reading(find).read()).kind).toBe(kind);
});

it('a store that fails is no judgment of the trace', async () => {
  const { read } = reading(() => {
    throw new Error('away');
  });
  expect((await read()).kind).toBe('failed');
});
