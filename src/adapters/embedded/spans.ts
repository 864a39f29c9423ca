import { mostSpanBytes, mostSpans, type SpanBatch, type SpanRecord, type Spans } from '#service/ports/spans.ts';
import type { Database } from './database.ts';

/** Spans in SQLite: a row of what a trace holds, and a row a batch. */
export function sqliteSpans(database: Database): Spans {
  return {
    async append(tenant, batches, at) {
      if (batches.length === 0) return;
      await database.write(() => {
        for (const batch of batches) appendBatch(database, tenant, batch, at);
      });
    },
    async find(tenant, traceId) {
      const row = database
        .prepare('SELECT newest_at, is_cut FROM traces WHERE tenant = ? AND trace_id = ?')
        .get(tenant, traceId);
      if (!row) return null;
      const batches = database
        .prepare('SELECT spans FROM spans WHERE tenant = ? AND trace_id = ? ORDER BY position')
        .all(tenant, traceId);
      return {
        spans: batches.flatMap(({ spans }) => JSON.parse(String(spans)) as SpanRecord[]),
        newest_at: Number(row.newest_at),
        is_cut: Number(row.is_cut) === 1,
      };
    },
    async newest(tenant, limit) {
      return database
        .prepare('SELECT trace_id FROM traces WHERE tenant = ? ORDER BY newest_at DESC, trace_id LIMIT ?')
        .all(tenant, limit)
        .map(({ trace_id }) => String(trace_id));
    },
  };
}

function appendBatch(database: Database, tenant: string, { trace_id, spans }: SpanBatch, at: number): void {
  const text = JSON.stringify(spans);
  const held = database
    .prepare('SELECT spans, bytes FROM traces WHERE tenant = ? AND trace_id = ?')
    .get(tenant, trace_id);
  const count = Number(held?.spans ?? 0) + spans.length;
  const bytes = Number(held?.bytes ?? 0) + Buffer.byteLength(text);
  const isCut = count > mostSpans || bytes > mostSpanBytes;
  database
    .prepare(
      `INSERT INTO traces (tenant, trace_id, spans, bytes, newest_at, is_cut) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET spans = excluded.spans, bytes = excluded.bytes, is_cut = excluded.is_cut,
         newest_at = max(newest_at, excluded.newest_at)`,
    )
    .run(tenant, trace_id, count, bytes, at, isCut ? 1 : 0);
  if (isCut) return;
  database.prepare('INSERT INTO spans (tenant, trace_id, spans) VALUES (?, ?, ?)').run(tenant, trace_id, text);
}
