import type { JsonObject } from '#contract/json.ts';
import { assembleTrace } from '#engine/trace/assemble.ts';
import { isList, isObject } from '#engine/values/kind.ts';
import type { Observations, StoredObservation } from '../ports/observations.ts';
import type { RecordedRows } from '../ports/recorded-tables.ts';
import type { Spans } from '../ports/spans.ts';
import { toRfc3339 } from '../time.ts';

/** Traces that are looked at besides those that a query names. */
const mostTraces = 200;
/** Bytes of rows that are handed to a query. */
const mostBytes = 16 << 20;
const readsAtOnce = 8;

/** Rows of the recorded tables from the stores that receive them (docs/spec/verification.md §4.4). */
export function recordedRows(stores: {
  readonly spans: Spans;
  readonly observations: Pick<Observations, 'newest'>;
}): RecordedRows {
  return {
    async read(tenant, table, { most, named }, signal) {
      if (table === 'vala.drift.observations') {
        return (await stores.observations.newest(tenant, most)).flatMap(tallRows).slice(0, most);
      }
      const newest = await stores.spans.newest(tenant, mostTraces);
      const ids = [...new Set([...named, ...newest])];
      const rows: JsonObject[] = [];
      let bytes = 0;
      for (let at = 0; at < ids.length && rows.length < most && bytes < mostBytes; at += readsAtOnce) {
        signal.throwIfAborted();
        const read = ids.slice(at, at + readsAtOnce).map((id) => spansOf(stores.spans, tenant, id));
        for (const row of (await Promise.all(read)).flat()) {
          bytes += JSON.stringify(row).length;
          if (rows.length < most && bytes < mostBytes) rows.push(row);
        }
      }
      return rows;
    },
  };
}

/** A row a feature (docs/spec/wire.md §9.3). */
function tallRows({ features, ...record }: StoredObservation): JsonObject[] {
  return [...features].map(([series, value]) => ({
    record_id: record.record_id,
    series,
    num_value: typeof value === 'number' ? value : null,
    str_value: value === null ? null : String(value),
    session_id: null,
    card_uid: record.subject_card_uid,
    run_id: record.run_id,
    created_at: record.created_at,
    ingested_at: toRfc3339(record.ingested_at),
  }));
}

/** A trace that cannot be put together shows no spans here either. */
async function spansOf(spans: Spans, tenant: string, traceId: string): Promise<readonly JsonObject[]> {
  const stored = await spans.find(tenant, traceId);
  const assembled = stored === null || stored.is_cut ? null : assembleTrace(traceId, stored.spans);
  if (!assembled?.ok) return [];
  const { spans: listed = [] } = assembled.trace;
  return isList(listed) ? listed.filter(isObject).map(toRow) : [];
}

function toRow({ status, ...span }: JsonObject): JsonObject {
  if (!isObject(status)) return span;
  return { ...span, status_code: status.code ?? null, status_description: status.description ?? null };
}
