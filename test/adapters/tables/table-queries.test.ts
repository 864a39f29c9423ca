import { expect, it } from 'vitest';
import { processQueries } from '#adapters/tables/table-queries.ts';

const queries = processQueries();
const forever = 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c';
const ask = (sql: string, timeout_ms = 10_000, signal = new AbortController().signal) =>
  queries.query([], sql, { most: 10, timeout_ms }, signal);

it('a query that never ends is ended, and the next one runs', async () => {
  expect(await ask(forever, 200)).toEqual({ kind: 'too_long' });
  expect(await ask('select 1 as one')).toEqual({ kind: 'rows', columns: ['one'], rows: [[1]], truncated: false });
});

it('two run at once, the others wait for their turn', async () => {
  const started = Date.now();
  const answers = await Promise.all([ask(forever, 300), ask(forever, 300), ask('select 1'), ask('select 2')]);
  expect(answers.map(({ kind }) => kind)).toEqual(['too_long', 'too_long', 'rows', 'rows']);
  expect(Date.now() - started).toBeGreaterThanOrEqual(300);
});

it('one whose caller is gone ends without an answer of rows', async () => {
  const stop = new AbortController();
  const asked = ask(forever, 10_000, stop.signal);
  setTimeout(() => stop.abort(), 100);
  expect((await asked).kind).not.toBe('rows');
  await expect(ask('select 1', 10_000, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect((await ask('select 1')).kind).toBe('rows');
});

it.each([
  ['numbers beyond a double as text', 'select 9007199254740993 as n', [['9007199254740993']]],
  ['what JSON cannot hold as null', 'select 1e999 as n', [[null]]],
  ['bytes as base64', `select x'00ff' as n`, [['AP8=']]],
  ['names of tables in texts untouched', `select 'traces.spans' as n`, [['traces.spans']]],
])('shows %s', async (_, sql, rows) => {
  expect(await ask(sql)).toMatchObject({ kind: 'rows', rows });
});

it('more memory than it may take is refused, whatever the kernel', { timeout: 20_000 }, async () => {
  const sql = `with recursive c(n) as (select 1 union all select n + 1 from c limit 3000)
    select count(*) as n from (select distinct randomblob(1000000) from c order by 1)`;
  expect(['refused', 'too_long', 'failed']).toContain((await ask(sql, 10_000)).kind);
});
