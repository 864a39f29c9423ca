import type { CardSelector, ExecutionFilter, ExecutionSummary, Executions } from '#service/ports/executions.ts';
import type { Page, PageRequest } from '#service/ports/page.ts';
import type { Database } from './database.ts';
import { insertExecution, readExecution } from './execution-rows.ts';
import { touchGroups } from './groups.ts';

/** Executions in SQLite. */
export function sqliteExecutions(database: Database): Executions {
  return {
    async storeSettled(tenant, execution, touches = []) {
      await database.write(() => {
        if (insertExecution(database, tenant, execution)) touchGroups(database, tenant, touches);
      });
    },
    async find(tenant, executionId) {
      return readExecution(database, tenant, executionId);
    },
    async list(tenant, filter, page) {
      return listExecutions(database, tenant, filter, page);
    },
    async lastOfBindings(tenant, bindingIds) {
      const newest = database.prepare(
        'SELECT max(execution_id) AS id FROM executions WHERE tenant = ? AND binding_id = ?',
      );
      const found = new Map<string, string>();
      for (const bindingId of bindingIds) {
        const id = newest.get(tenant, bindingId)?.id;
        if (typeof id === 'string') found.set(bindingId, id);
      }
      return found;
    },
  };
}

type Bound = string | number | null;

/** A condition of the list: constant text, and the values of its parameters. */
type Clause = readonly [sql: string, ...values: Bound[]];

function listExecutions(
  database: Database,
  tenant: string,
  filter: ExecutionFilter,
  page: PageRequest,
): Page<ExecutionSummary> {
  const clauses = clausesOf(filter, page.after);
  const where = clauses.map(([sql]) => ` AND ${sql}`).join('');
  const values = clauses.flatMap(([, ...bound]) => bound);
  // The text is put together from the constants below; every value is bound.
  const rows = database
    .prepare(`SELECT summary FROM executions WHERE tenant = ?${where} ORDER BY execution_id DESC LIMIT ?`)
    .all(tenant, ...values, page.limit + 1);
  const found = rows.map((row) => JSON.parse(String(row.summary)) as ExecutionSummary);
  const items = found.slice(0, page.limit);
  return { items, next: found.length > page.limit ? (items.at(-1)?.execution_id ?? null) : null };
}

function clausesOf(filter: ExecutionFilter, after: string | null): Clause[] {
  const clauses: Clause[] = [];
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) clauses.push([`${column} = ?`, value]);
  };
  equal('status', filter.status);
  equal('verdict', filter.verdict);
  equal('origin', filter.origin);
  equal('binding_id', filter.binding);
  equal('group_id', filter.group_id);
  equal('run_id', filter.run_id);
  clauses.push(...selectorClauses('verifier', filter.verifier), ...selectorClauses('subject', filter.subject));
  if (filter.from !== undefined) clauses.push(['created_at >= ?', filter.from]);
  if (filter.to !== undefined) clauses.push(['created_at < ?', filter.to]);
  if (filter.verifier_uids) {
    // One bound JSON list keeps the statement's text the same for any number of them.
    clauses.push(['verifier_uid IN (SELECT value FROM json_each(?))', JSON.stringify(filter.verifier_uids)]);
  }
  if (after !== null) clauses.push(['execution_id < ?', after]);
  return clauses;
}

function selectorClauses(column: 'verifier' | 'subject', selector: CardSelector | undefined): Clause[] {
  if (!selector) return [];
  if (selector.by === 'uid') return [[`${column}_uid = ?`, selector.uid]];
  const byName: Clause = [`${column}_name = ?`, selector.name];
  return selector.version === undefined ? [byName] : [byName, [`${column}_version = ?`, selector.version]];
}
