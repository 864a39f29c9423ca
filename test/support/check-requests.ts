import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Rules of DynamoDB that the local AWS does not check, or not everywhere; an adapter's request that breaks one fails the test
 * that made it. Reserved words have no underscore, so a bare attribute name has one or is known here not to be reserved.
 */
const knownNames = new Set(['pk', 'sk', 'lease', 'tenant', 'attempts', 'uid', 'operation', 'verdict']);
const expressionWords = new Set([
  'SET',
  'REMOVE',
  'ADD',
  'AND',
  'OR',
  'NOT',
  'IN',
  'BETWEEN',
  'attribute_not_exists',
  'attribute_exists',
  'begins_with',
  'if_not_exists',
  'size',
]);

type Request = Readonly<Record<string, unknown>>;

/** Makes every request of this client pass `checkRequest` before it is sent. */
export function checkRequests(dynamo: DynamoDBDocumentClient): void {
  dynamo.middlewareStack.add(
    (next, context) => (args) => {
      checkRequest(String(context.commandName), args.input as Request);
      return next(args);
    },
    // Before the document client turns values into their form on the wire.
    { step: 'initialize', name: 'checkRequests', priority: 'high' },
  );
}

export function checkRequest(command: string, input: Request): void {
  if (command.startsWith('Transact')) checkTransaction(input);
  else if (command.startsWith('BatchGet')) checkBatch(input, 100, ({ Keys }) => Keys as Request[]);
  else if (command.startsWith('BatchWrite')) checkBatch(input, 25, (writes) => Object.values(writes).map(keyOfWrite));
  else checkSingle(input);
}

function checkSingle(input: Request): void {
  if (input.IndexName !== undefined && input.ConsistentRead) fail('an index is never read consistently');
  checkExpressions(input);
  for (const item of [input.Item, input.Key]) if (item) checkItem(item as Request);
}

function checkTransaction(input: Request): void {
  const items = (input.TransactItems as Record<string, Request>[]).map((item) => Object.values(item)[0] as Request);
  if (items.length === 0 || items.length > 100) fail(`a transaction of ${items.length} items`);
  if (typeof input.ClientRequestToken !== 'string') fail('a transaction without a request token');
  if (sizeOf(items) > 4_000_000) fail('a transaction over 4 MB');
  const keys = items.map((item) => `${item.TableName} ${keyText((item.Key ?? item.Item) as Request)}`);
  if (new Set(keys).size < keys.length) fail('an item twice in a transaction');
  for (const item of items) {
    checkExpressions(item);
    checkItem((item.Item ?? item.Key) as Request);
  }
}

function checkBatch(input: Request, most: number, keysOf: (part: Request) => readonly Request[]): void {
  for (const part of Object.values(input.RequestItems as Record<string, Request>)) {
    const keys = keysOf(part);
    if (keys.length === 0 || keys.length > most) fail(`a batch of ${keys.length}`);
    if (new Set(keys.map(keyText)).size < keys.length) fail('a key twice in a batch');
  }
}

function keyOfWrite(write: unknown): Request {
  const { PutRequest, DeleteRequest } = write as { PutRequest?: { Item: Request }; DeleteRequest?: { Key: Request } };
  if (PutRequest) checkItem(PutRequest.Item);
  return PutRequest?.Item ?? DeleteRequest?.Key ?? {};
}

function checkItem(item: Request): void {
  if (sizeOf(item) > 400 * 1024) fail('an item over 400 KB');
  for (const [name, most] of [
    ['pk', 2_048],
    ['sk', 1_024],
  ] as const) {
    const value = item[name];
    if (value !== undefined && (value === '' || Buffer.byteLength(String(value)) > most))
      fail(`the key ${name} is ${value}`);
  }
  for (const [name, value] of Object.entries(item))
    if (/_(key|order)$/.test(name) && value === '') fail(`${name} is empty`);
}

function checkExpressions(input: Request): void {
  const texts = [
    'KeyConditionExpression',
    'FilterExpression',
    'ConditionExpression',
    'UpdateExpression',
    'ProjectionExpression',
  ].flatMap((name) => (typeof input[name] === 'string' ? [input[name]] : []));
  if (texts.some((text) => Buffer.byteLength(text) > 4_096)) fail('an expression over 4 KB');
  const words = texts.flatMap((text) => text.match(/[#:]?[A-Za-z_][A-Za-z0-9_]*/g) ?? []);
  const defined = [
    ...Object.keys((input.ExpressionAttributeNames ?? {}) as Request),
    ...Object.keys((input.ExpressionAttributeValues ?? {}) as Request),
  ];
  const placeholders = new Set(words.filter((word) => /^[#:]/.test(word)));
  const unused = defined.filter((name) => !placeholders.has(name));
  const undefinedOnes = [...placeholders].filter((name) => !defined.includes(name));
  if (unused.length + undefinedOnes.length > 0) fail(`unused ${unused}, undefined ${undefinedOnes}: ${texts}`);
  const bare = words.filter((word) => !/^[#:]/.test(word) && !expressionWords.has(word));
  const doubtful = bare.filter((word) => !word.includes('_') && !knownNames.has(word));
  if (doubtful.length > 0) fail(`perhaps reserved: ${doubtful}`);
}

function keyText({ pk, sk }: Request): string {
  return `${pk} ${sk}`;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function fail(message: string): never {
  throw new Error(`DynamoDB would refuse this request: ${message}`);
}
