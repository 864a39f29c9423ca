import { z } from 'zod';
import { recordedTables } from '../../ports/recorded-tables.ts';
import { recordedColumns } from './recorded-columns.ts';
import { makeTool, type ToolAnswer, toolError, toolResult } from './tool.ts';

/** docs/spec/verification.md §4.4. */
const maxAnswerRows = 1_000;
const timeoutMs = 10_000;
/** Rows of each table that a query sees, newest first; told in the answer when there are more. */
const maxSeenRows = 20_000;
const maxSqlCharacters = 16_384;

export const listTablesTool = makeTool({
  name: 'bifrost.list_tables',
  description: 'Lists the tables of recorded data.',
  needs: 'audit:read',
  arguments: z.strictObject({}),
  run: () => toolResult({ tables: recordedTables.map((table) => ({ name: table })) }),
});

export const describeTableTool = makeTool({
  name: 'bifrost.describe_table',
  description: 'Names the columns of one table of recorded data.',
  needs: 'audit:read',
  arguments: z.strictObject({ table: z.enum(recordedTables) }),
  run: (_ports, _caller, { table }) =>
    toolResult({ name: table, columns: recordedColumns[table].map((column) => ({ ...column })) }),
});

export const queryTool = makeTool({
  name: 'bifrost.query',
  description:
    'Runs one SELECT (SQLite dialect) over the recorded tables traces.spans and vala.drift.observations; 1,000 rows at most.',
  needs: 'audit:read',
  arguments: z.strictObject({ sql: z.string().min(1).max(maxSqlCharacters) }),
  run: async (ports, caller, { sql }, signal): Promise<ToolAnswer> => {
    const started = ports.clock.now();
    const wanted = { most: maxSeenRows, named: traceIdsIn(sql) };
    const named = recordedTables.filter((table) => sql.toLowerCase().includes(table));
    const tables = await Promise.all(
      recordedTables.map(async (table) => ({
        name: table,
        columns: recordedColumns[table],
        // A table that the text does not name is there, and empty: nothing is read for it.
        rows: named.includes(table) ? await ports.recordedRows.read(caller.tenant, table, wanted, signal) : [],
      })),
    );
    const left = timeoutMs - (ports.clock.now() - started);
    if (left <= 0) return tooLong;
    const reply = await ports.tableQueries.query(tables, sql, { most: maxAnswerRows, timeout_ms: left }, signal);
    switch (reply.kind) {
      case 'rows': {
        const { columns, rows, truncated } = reply;
        const partial = tables.filter(({ rows: seen }) => seen.length >= maxSeenRows).map(({ name }) => name);
        return toolResult({ columns, rows, truncated, ...(partial.length > 0 && { only_newest_rows_of: partial }) });
      }
      case 'refused':
        return toolError('query_refused', reply.message);
      case 'too_long':
        return tooLong;
      case 'failed':
        return toolError('query_failed', 'the query could not be run');
    }
  },
});

const maxNamedTraces = 20;

/** A trace that a query asks for by its id is seen whatever its age. */
function traceIdsIn(sql: string): readonly string[] {
  const found = sql.match(/(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/giu) ?? [];
  return [...new Set(found.map((id) => id.toLowerCase()))].slice(0, maxNamedTraces);
}

const tooLong = toolError('query_timeout', 'the query takes over 10 s');
