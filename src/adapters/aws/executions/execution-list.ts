import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { indexes } from '#contract/aws-names.ts';
import type { CardSelector, ExecutionFilter, ExecutionSummary } from '#service/ports/executions.ts';
import type { Page, PageRequest } from '#service/ports/page.ts';
import { queryPages } from '../dynamo/reads.ts';
import { type ExecutionList, executionListKey, listShards } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { toSummary } from './execution-item.ts';
import { mergeNewest, orderOf } from './merge-newest.ts';

/** Rows that one call looks at; a filter that fits few of them answers a short page, and a cursor to go on from. */
const mostExamined = 4_000;

/** Finds the name of a Card; null when it is unknown. */
export type NameOf = (tenant: string, uid: string) => Promise<string | null>;

/** A list read from one index: its rows are found by `list` and `value`, the rest of the filter is compared row by row. */
export async function listExecutions(
  dynamo: DynamoDBDocumentClient,
  table: string,
  nameOf: NameOf,
  tenant: string,
  filter: ExecutionFilter,
  page: PageRequest,
): Promise<Page<ExecutionSummary>> {
  const range = rangeOf(filter, page.after);
  if (range === null || filter.verifier_uids?.length === 0) return { items: [], next: null };
  const { list, value } = await chooseList(nameOf, tenant, filter);
  // A few rows more than the page's share of one part: most pages then need one query a part.
  const size = list === 'list' && isFiltered(filter) ? 100 : Math.ceil((page.limit + 1) / listShards) + 4;
  const rows = mergeNewest(
    Array.from({ length: listShards }, (_unused, shard) =>
      rowsNewestFirst(dynamo, table, list, executionListKey(tenant, list, value, shard), range, size),
    ),
  );
  const items: ExecutionSummary[] = [];
  let examined = 0;
  let last: string | null = null;
  for await (const row of rows) {
    if (orderOf(row) === page.after) continue;
    if (items.length === page.limit || examined === mostExamined) return { items, next: last };
    examined += 1;
    last = orderOf(row);
    const summary = toSummary(row);
    if (matches(filter, summary)) items.push(summary);
  }
  return { items, next: null };
}

/** Newest row of one part of a list, or null. */
export async function newestOf(
  dynamo: DynamoDBDocumentClient,
  table: string,
  list: Exclude<ExecutionList, 'open' | 'log'>,
  partition: string,
): Promise<Item | null> {
  const rows = rowsNewestFirst(dynamo, table, list, partition, { from: '0', to: '~' }, 1);
  const first = await rows.next();
  return first.done ? null : first.value;
}

interface Range {
  readonly from: string;
  readonly to: string;
}

async function* rowsNewestFirst(
  dynamo: DynamoDBDocumentClient,
  table: string,
  list: Exclude<ExecutionList, 'open' | 'log'>,
  partition: string,
  range: Range,
  size: number,
): AsyncGenerator<Item> {
  const pages = queryPages(dynamo, {
    TableName: table,
    IndexName: indexes.executions[list],
    KeyConditionExpression: `${list}_key = :partition AND order_key BETWEEN :from AND :to`,
    ExpressionAttributeValues: { ':partition': partition, ':from': range.from, ':to': range.to },
    ScanIndexForward: false,
    Limit: size,
  });
  for await (const rows of pages) yield* rows;
}

/** Both bounds of `order_key`, which begins with the time; null when nothing can be between. */
function rangeOf(filter: ExecutionFilter, after: string | null): Range | null {
  const from = filter.from === undefined ? '0' : toMilliseconds(filter.from);
  const before = filter.to === undefined ? '~' : toMilliseconds(filter.to);
  const to = after !== null && after < before ? after : before;
  return from <= to ? { from, to } : null;
}

/** The form in which `created_at` is stored; a text of another precision would not compare. */
function toMilliseconds(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : at.toISOString();
}

interface Chosen {
  readonly list: Exclude<ExecutionList, 'open' | 'log'>;
  readonly value: string;
}

async function chooseList(nameOf: NameOf, tenant: string, filter: ExecutionFilter): Promise<Chosen> {
  if (filter.group_id !== undefined) return { list: 'group', value: filter.group_id };
  if (filter.run_id !== undefined) return { list: 'run', value: filter.run_id };
  if (filter.binding !== undefined) return { list: 'binding', value: filter.binding };
  const verifier = await nameOfSelector(nameOf, tenant, filter.verifier);
  if (verifier !== null) return { list: 'verifier', value: verifier };
  const subject = await nameOfSelector(nameOf, tenant, filter.subject);
  return subject === null ? { list: 'list', value: '' } : { list: 'subject', value: subject };
}

async function nameOfSelector(nameOf: NameOf, tenant: string, selector?: CardSelector): Promise<string | null> {
  if (!selector) return null;
  return selector.by === 'name' ? selector.name : nameOf(tenant, selector.uid);
}

function isFiltered(filter: ExecutionFilter): boolean {
  return Object.entries(filter).some(([name, value]) => value !== undefined && name !== 'from' && name !== 'to');
}

function matches(filter: ExecutionFilter, summary: ExecutionSummary): boolean {
  const equal: readonly [string | undefined, string | null][] = [
    [filter.status, summary.status],
    [filter.verdict, summary.verdict],
    [filter.origin, summary.origin],
    [filter.binding, summary.binding_id],
    [filter.group_id, summary.group_id],
    [filter.run_id, summary.run_id],
  ];
  return (
    equal.every(([asked, value]) => asked === undefined || asked === value) &&
    isSelected(filter.verifier, summary.verifier) &&
    isSelected(filter.subject, summary.subject) &&
    (filter.verifier_uids === undefined || filter.verifier_uids.includes(summary.verifier.uid ?? ''))
  );
}

function isSelected(selector: CardSelector | undefined, card: ExecutionSummary['verifier']): boolean {
  if (!selector) return true;
  if (selector.by === 'uid') return card.uid === selector.uid;
  return card.name === selector.name && (selector.version === undefined || card.version === selector.version);
}
