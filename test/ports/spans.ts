import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mostSpans, type SpanRecord, type Spans } from '#service/ports/spans.ts';

const traceId = () => randomBytes(16).toString('hex');

function spanOf(position: number, more: Partial<SpanRecord> = {}): SpanRecord {
  const start_unix_nano = String(1_700_000_000_000_000_000n + BigInt(position));
  const span_id = String(position + 1).padStart(16, '0');
  return { span_id, name: `s${position}`, start_unix_nano, end_unix_nano: start_unix_nano, attributes: {}, ...more };
}

export function testSpans(name: string, make: () => Promise<{ readonly spans: Spans }>): void {
  describe(`Spans: ${name}`, () => {
    it('keeps batches in the order of their arrival, and when the last one came', async () => {
      const { spans } = await make();
      const id = traceId();
      expect(await spans.find('acme', id)).toBeNull();
      await spans.append('acme', [{ trace_id: id, spans: [spanOf(0), spanOf(1)] }], 1_000);
      await spans.append('acme', [{ trace_id: id, spans: [spanOf(2)] }], 2_000);
      expect(await spans.find('acme', id)).toEqual({
        spans: [spanOf(0), spanOf(1), spanOf(2)],
        newest_at: 2_000,
        is_cut: false,
      });
    });

    it('is of one tenant', async () => {
      const { spans } = await make();
      const id = traceId();
      await spans.append('acme', [{ trace_id: id, spans: [spanOf(0)] }], 1_000);
      expect(await spans.find('bolt', id)).toBeNull();
      expect(await spans.newest('bolt', 10)).toEqual([]);
    });

    it('keeps long batches and strange attributes as they are', async () => {
      const { spans } = await make();
      const id = traceId();
      const attributes = JSON.parse('{"__proto__":1,"constructor":"x"}');
      const long = spanOf(0, { name: 'é'.repeat(200_000), attributes });
      await spans.append('acme', [{ trace_id: id, spans: [long] }], 1_000);
      const found = await spans.find('acme', id);
      expect(found?.spans[0]?.name).toBe(long.name);
      expect(JSON.stringify(found?.spans[0]?.attributes)).toBe('{"__proto__":1,"constructor":"x"}');
    });

    it('says when a trace holds more than it may', async () => {
      const { spans } = await make();
      const id = traceId();
      const half = Array.from({ length: mostSpans / 2 + 1 }, (_unused, index) => spanOf(index, { name: 's' }));
      await spans.append('acme', [{ trace_id: id, spans: half }], 1_000);
      expect((await spans.find('acme', id))?.is_cut).toBe(false);
      await spans.append('acme', [{ trace_id: id, spans: half }], 2_000);
      expect((await spans.find('acme', id))?.is_cut).toBe(true);
    });

    it('lists the newest traces first', async () => {
      const { spans } = await make();
      const ids = [traceId(), traceId(), traceId()];
      for (const [index, trace_id] of ids.entries()) {
        await spans.append('lists', [{ trace_id, spans: [spanOf(0)] }], 1_000 + index);
      }
      await spans.append('lists', [{ trace_id: ids[0] ?? '', spans: [spanOf(1)] }], 5_000);
      await expect.poll(() => spans.newest('lists', 2)).toEqual([ids[0], ids[2]]);
    });
  });
}
