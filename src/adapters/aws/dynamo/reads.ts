import { type DynamoDBDocumentClient, GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Item, storeCall } from '../store-call.ts';

/** Consistent. `attributes` limits what travels, not what is counted. */
export async function getItem(
  dynamo: DynamoDBDocumentClient,
  table: string,
  key: Item,
  attributes?: readonly string[],
): Promise<Item | null> {
  const projection = attributes && {
    ProjectionExpression: attributes.map((_attribute, index) => `#a${index}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((attribute, index) => [`#a${index}`, attribute])),
  };
  const { Item } = await storeCall('get', () =>
    dynamo.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true, ...projection })),
  );
  return Item ?? null;
}

/** All rows of a partition of the table whose sort key begins so, in its order. Consistent. */
export async function rowsOf(
  dynamo: DynamoDBDocumentClient,
  table: string,
  partition: string,
  begins?: string,
): Promise<Item[]> {
  const rows: Item[] = [];
  const query: QueryCommandInput = {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: begins === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :begins)',
    ExpressionAttributeValues: begins === undefined ? { ':pk': partition } : { ':pk': partition, ':begins': begins },
  };
  for await (const page of queryPages(dynamo, query)) rows.push(...page);
  return rows;
}

/** The row of a partition whose sort key begins so and is the last; null when there is none. Consistent. */
export async function newestRow(
  dynamo: DynamoDBDocumentClient,
  table: string,
  partition: string,
  begins: string,
): Promise<Item | null> {
  const { Items } = await storeCall('query', () =>
    dynamo.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :begins)',
        ExpressionAttributeValues: { ':pk': partition, ':begins': begins },
        ScanIndexForward: false,
        Limit: 1,
      }),
    ),
  );
  return Items?.[0] ?? null;
}

/** Rows of a partition from this sort key on, of those that begin with `prefix`, in its order. Consistent. */
export async function rowsFrom(
  dynamo: DynamoDBDocumentClient,
  table: string,
  from: { readonly pk: string; readonly sk: string; readonly prefix: string; readonly limit: number },
): Promise<readonly Item[]> {
  const rows: Item[] = [];
  const pages = queryPages(dynamo, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': from.pk, ':from': from.sk, ':to': `${from.prefix}~` },
    Limit: from.limit,
  });
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length >= from.limit) break;
  }
  return rows.slice(0, from.limit);
}

/** Pages of a query until it is at its end. A page may be empty and not the last. */
export async function* queryPages(dynamo: DynamoDBDocumentClient, query: QueryCommandInput): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const from = start;
    const answer = await storeCall('query', () =>
      dynamo.send(new QueryCommand({ ...query, ...(from ? { ExclusiveStartKey: from } : {}) })),
    );
    yield answer.Items ?? [];
    start = answer.LastEvaluatedKey;
  } while (start);
}

/** How many rows a query has. */
export async function countRows(dynamo: DynamoDBDocumentClient, query: QueryCommandInput): Promise<number> {
  let count = 0;
  let start: Item | undefined;
  do {
    const from = start;
    const answer = await storeCall('count', () =>
      dynamo.send(new QueryCommand({ ...query, Select: 'COUNT', ...(from ? { ExclusiveStartKey: from } : {}) })),
    );
    count += answer.Count ?? 0;
    start = answer.LastEvaluatedKey;
  } while (start);
  return count;
}
