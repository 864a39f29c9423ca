import { indexes } from '#contract/aws-names.ts';
import type { Due, DueKind, DueRows } from '#service/ports/due.ts';
import { queryPages } from '../dynamo/reads.ts';
import { dueKey, dueShards, dueTime } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { BackgroundStore } from './background-store.ts';

/**
 * A shard is read on past what one kind may answer, since rows of another kind may lie behind: so many times that. With
 * 16 shards that is 160,000 rows due at once for a sweep that takes 1,000 of a kind; rows further behind wait for it.
 */
const readOn = 10;

/** What the due index shows. It may lag, so a row can be one that was dealt with: the write that follows is refused then. */
export function dynamoDueRows(store: BackgroundStore): DueRows {
  return {
    async due({ now, limit }) {
      const shards = Array.from({ length: dueShards }, (_unused, shard) => oldest(store, shard, now, limit * readOn));
      const found = (await Promise.all(shards)).flat().map(toDue).sort(inOrder);
      const taken = new Map<DueKind, number>();
      return found.filter(({ kind }) => {
        const count = (taken.get(kind) ?? 0) + 1;
        taken.set(kind, count);
        return count <= limit;
      });
    },
  };
}

function inOrder(left: Due, right: Due): number {
  return left.due_at - right.due_at || (left.id < right.id ? -1 : 1);
}

async function oldest({ dynamo, table }: BackgroundStore, shard: number, now: number, limit: number): Promise<Item[]> {
  const rows: Item[] = [];
  const pages = queryPages(dynamo, {
    TableName: table,
    IndexName: indexes.background.due,
    KeyConditionExpression: 'due_key = :partition AND due_order < :before',
    // Text order: `<time>` alone is before `<time>#…`.
    ExpressionAttributeValues: { ':partition': dueKey('due', shard), ':before': dueTime(now + 1) },
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
