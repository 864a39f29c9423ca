import { indexes } from '#contract/aws-names.ts';
import type { Due, DueKind, DueRows } from '#service/ports/due.ts';
import { queryPages } from '../dynamo/reads.ts';
import { dueShards, dueTime } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { type BackgroundStore, dueKeyOf } from './background-store.ts';

const kinds = Object.keys({
  occurrence: true,
  group: true,
  dispatch: true,
  baseline: true,
} satisfies Record<DueKind, true>) as DueKind[];

/** What the due index shows. It may lag, so a row can be one that was dealt with: the write that follows is refused then. */
export function dynamoDueRows(store: BackgroundStore): DueRows {
  return {
    async due({ now, limit }) {
      const found = await Promise.all(kinds.map((kind) => dueOfKind(store, kind, now, limit)));
      return found.flat().sort(inOrder);
    },
  };
}

async function dueOfKind(store: BackgroundStore, kind: DueKind, now: number, limit: number): Promise<readonly Due[]> {
  const shards = Array.from({ length: dueShards }, (_unused, shard) =>
    oldest(store, dueKeyOf(kind, shard), now, limit),
  );
  return (await Promise.all(shards)).flat().map(toDue).sort(inOrder).slice(0, limit);
}

function inOrder(left: Due, right: Due): number {
  return left.due_at - right.due_at || (left.id < right.id ? -1 : 1);
}

async function oldest(
  { dynamo, table }: BackgroundStore,
  partition: string,
  now: number,
  limit: number,
): Promise<Item[]> {
  const rows: Item[] = [];
  const pages = queryPages(dynamo, {
    TableName: table,
    IndexName: indexes.background.due,
    KeyConditionExpression: 'due_key = :partition AND due_order < :before',
    // Text order: `<time>` alone is before `<time>#…`.
    ExpressionAttributeValues: { ':partition': partition, ':before': dueTime(now + 1) },
    Limit: limit,
  });
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length >= limit) break;
  }
  return rows;
}

/** `<time>#<tenant>#<kind>#<id>`; an id may hold `#`. */
function toDue(row: Item): Due {
  const [, tenant = '', kind = '', ...id] = String(row.due_order).split('#');
  return { tenant, kind: kind as DueKind, id: id.join('#'), due_at: Number(row.due_at) };
}
