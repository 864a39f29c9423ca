import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '#contract/json.ts';
import { type AgentAsked, type AgentBench, asks, judges, openAgentBench, toldBy } from '#test/support/agent-bench.ts';

let bench: AgentBench;
beforeAll(async () => {
  bench = await openAgentBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

async function run(calls: readonly (readonly [string, Json])[], asked: Partial<AgentAsked> = {}) {
  const replies = [...calls.map((call) => asks(call)), judges('failed')];
  const performed = await bench.perform({ replies, ...asked });
  return { ...performed, told: toldBy(performed.requests.at(-1)) };
}

describe('recorded data', () => {
  const rows = {
    'traces.spans': [{ trace_id: 'a', name: 'pay', duration_ms: 4, attributes: { amount: 12 } }],
    'vala.drift.observations': [{ record_id: 'r', series: 'latency', num_value: 2.5 }],
  };
  const query = (sql: string) =>
    run([['bifrost.query', { sql }]], { rows, work: { tool_names: ['bifrost.query'], workspace: [] } });

  test.each<[string, string, object]>([
    [
      'spans',
      `SELECT name, json_extract(attributes, '$.amount') AS amount FROM traces.spans;`,
      { columns: ['name', 'amount'], rows: [['pay', 12]], truncated: false },
    ],
    ['observations', 'select num_value from vala.drift.observations', { rows: [[2.5]] }],
    [
      'at most 1,000 rows',
      'with recursive c(n) as (select 1 union all select n + 1 from c limit 1001) select n from c',
      { rows: expect.objectContaining({ length: 1000 }), truncated: true },
    ],
  ])('gives %s', async (_, sql, expected) => {
    expect((await query(sql)).told[0]).toMatchObject(expected);
  });

  test.each([
    'delete from traces.spans',
    'select 1; select 2',
    `attach 'x' as y`,
    'select * from sqlite_master',
    `select load_extension('x')`,
    'select * from pragma_table_list',
    'select length(randomblob(1000000000))',
    'not sql',
  ])('refuses %s', async (sql) => {
    expect((await query(sql)).told[0]).toMatchObject({ error: { code: 'query_refused' } });
  });

  test('is what the tenant received: of its newest traces, and of those a query names', async () => {
    const span = (name: string) => ({
      span_id: 'b'.repeat(16),
      name,
      start_unix_nano: '1000000',
      end_unix_nano: '5000000',
    });
    const [mine, other] = ['c'.repeat(32), 'd'.repeat(32)] as const;
    await bench.store.spans.append(
      'acme',
      [{ trace_id: mine, spans: [{ ...span('pay'), attributes: { sum: 3 } }] }],
      1,
    );
    await bench.store.spans.append('rival', [{ trace_id: other, spans: [span('secret')] }], 2);
    const work = { tool_names: ['bifrost.query'], workspace: [] } as const;
    const columns = `name, duration_ms, status_code, json_extract(attributes, '$.sum')`;
    const all = await run([['bifrost.query', { sql: `select ${columns} from traces.spans` }]], { work });
    expect(all.told[0]).toMatchObject({ rows: [['pay', 4, 'unset', 3]] });
    const named = await run([['bifrost.query', { sql: `select name from traces.spans where trace_id = '${other}'` }]], {
      work,
    });
    expect(named.told[0]).toMatchObject({ rows: [] });
  });

  test('has two tables', async () => {
    const { told } = await run(
      [
        ['bifrost.list_tables', {}],
        ['bifrost.describe_table', { table: 'traces.spans' }],
      ],
      { work: { tool_names: ['bifrost.list_tables', 'bifrost.describe_table'], workspace: [] } },
    );
    expect(told[0]).toEqual({ tables: [{ name: 'traces.spans' }, { name: 'vala.drift.observations' }] });
    expect(told[1]).toMatchObject({ columns: expect.arrayContaining([{ name: 'trace_id', type: 'text' }]) });
  });
});
