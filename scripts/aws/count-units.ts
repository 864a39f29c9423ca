import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableKeys } from '#contract/aws-names.ts';
import { type IndexDefinition, type TableDefinition, tableDefinitions } from '#contract/aws-tables.ts';
import type { SigningClients } from './signing-ports.ts';

/** What calls cost, by the published rules of DynamoDB, from the items that really went over the wire. */
export interface Units {
  /** Requests by service and operation. */
  readonly calls: Record<string, number>;
  /** Request units: 1 KB written, twice that in a transaction; indexes apart. */
  write: number;
  index_write: number;
  /** Request units: 4 KB read consistently; an index costs half. */
  read: number;
}

type Item = Readonly<Record<string, unknown>>;
type Input = Readonly<Record<string, unknown>>;

export function noUnits(): Units {
  return { calls: {}, write: 0, index_write: 0, read: 0 };
}

/** Counts every request of these clients into what `current` answers. */
export function countUnits(clients: SigningClients, current: () => Units): void {
  const count = (service: string, name: string) => {
    const key = `${service}.${name.replace(/Command$/, '')}`;
    const { calls } = current();
    calls[key] = (calls[key] ?? 0) + 1;
  };
  // Where an answer is read: a signed link is made before, and is no request.
  const options = { step: 'deserialize', priority: 'low' } as const;
  clients.s3.middlewareStack.add(
    (next, context) => (args) => {
      count('s3', String(context.commandName));
      return next(args);
    },
    options,
  );
  clients.secrets.middlewareStack.add(
    (next, context) => (args) => {
      count('secrets', String(context.commandName));
      return next(args);
    },
    options,
  );
  clients.sfn.middlewareStack.add(
    (next, context) => (args) => {
      count('states', String(context.commandName));
      return next(args);
    },
    options,
  );
  countDynamo(clients.dynamo, current, count);
}

function countDynamo(
  dynamo: DynamoDBDocumentClient,
  current: () => Units,
  count: (service: string, name: string) => void,
): void {
  dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      const name = String(context.commandName);
      count('dynamodb', name);
      const answer = await next(args);
      addUnits(current(), name, args.input as Input, answer.output as Input);
      return answer;
    },
    // Outside of what turns values into their form on the wire.
    { step: 'initialize', name: 'countUnits', priority: 'high' },
  );
}

function addUnits(units: Units, name: string, input: Input, output: Input): void {
  const attributes = (output.Attributes ?? input.Key) as Item;
  switch (name) {
    case 'PutItemCommand':
      addPut(units, String(input.TableName), input.Item as Item, 1);
      break;
    case 'UpdateItemCommand':
      addUpdate(
        units,
        String(input.TableName),
        { ...(input.Key as Item), ...attributes },
        String(input.UpdateExpression),
      );
      break;
    case 'DeleteItemCommand':
      units.write += 1;
      break;
    case 'TransactWriteItemsCommand':
      for (const item of input.TransactItems as readonly Record<string, Input>[]) addTransacted(units, item);
      break;
    case 'BatchWriteItemCommand':
      addBatch(units, input.RequestItems as Record<string, readonly Record<string, Input>[]>);
      break;
    case 'GetItemCommand':
      units.read += readUnits(bytesOf(output.Item ?? {}));
      break;
    case 'BatchGetItemCommand':
      for (const item of Object.values(output.Responses as Record<string, Item[]>).flat())
        units.read += readUnits(bytesOf(item));
      break;
    case 'QueryCommand': {
      // A count shows no items; rows of `open` have five short keys.
      const bytes = input.Select === 'COUNT' ? 250 * Number(output.Count) : bytesOf(output.Items ?? []);
      units.read += readUnits(bytes) * (input.ConsistentRead ? 1 : 0.5);
      break;
    }
    default:
      throw new Error(`no rule for ${name}`);
  }
}

/** Rows that transactions update, delete or check are small. */
function addTransacted(units: Units, { Put, Update }: Record<string, Input>): void {
  if (Put) {
    addPut(units, String(Put.TableName), Put.Item as Item, 2);
    return;
  }
  units.write += 2;
  if (Update) units.index_write += 1;
}

function addBatch(units: Units, tables: Record<string, readonly Record<string, Input>[]>): void {
  for (const [table, writes] of Object.entries(tables)) {
    for (const { PutRequest } of writes) {
      if (PutRequest) addPut(units, table, PutRequest.Item as Item, 1);
      else units.write += 1;
    }
  }
}

function addPut(units: Units, table: string, item: Item, factor: number): void {
  units.write += factor * writeUnits(bytesOf(item));
  for (const index of definitionOf(table).indexes) {
    if (item[index.partitionKey] !== undefined) units.index_write += writeUnits(bytesOf(projected(index, item)));
  }
}

/** An index is written when what it shows changes: twice when its key does, once when the row leaves it. */
function addUpdate(units: Units, table: string, after: Item, expression: string): void {
  units.write += writeUnits(bytesOf(after));
  const [set = '', remove = ''] = expression.split('REMOVE');
  for (const index of definitionOf(table).indexes) {
    const mentions = (text: string, name: string) => new RegExp(`(^|[^A-Za-z_:])#?${name}\\b`).test(text);
    const isThere = after[index.partitionKey] !== undefined;
    const size = writeUnits(bytesOf(projected(index, after)));
    if (!isThere && mentions(remove, index.partitionKey)) units.index_write += 1;
    else if (isThere && mentions(set, index.partitionKey)) units.index_write += 2 * size;
    else if (isThere && (index.projection === 'all' || index.projection.some((name) => mentions(expression, name)))) {
      units.index_write += size;
    }
  }
}

function projected({ partitionKey, sortKey, projection }: IndexDefinition, item: Item): Item {
  if (projection === 'all') return item;
  const names = ['pk', 'sk', partitionKey, sortKey, ...projection];
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

function definitionOf(table: string): TableDefinition {
  const key = tableKeys.find((name) => table.endsWith(`-${name}`));
  if (key === undefined) throw new Error(`an unknown table: ${table}`);
  return tableDefinitions[key];
}

/** Names and values as text, which is what an item weighs, nearly. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, part]) => {
    return sum + (Array.isArray(value) ? 0 : Buffer.byteLength(name)) + bytesOf(part);
  }, 0);
}

function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1_024));
}

function readUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4_096));
}
