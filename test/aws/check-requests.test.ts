import { describe, expect, it } from 'vitest';
import { checkRequest } from '#test/support/check-requests.ts';

const key = { pk: 'a', sk: 'b' };
const write = (Item: object) => ({ Put: { TableName: 't', Item } });

describe('the rules that the local AWS leaves out', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      'a reserved word',
      'UpdateCommand',
      { Key: key, ConditionExpression: 'status = :a', ExpressionAttributeValues: { ':a': 1 } },
    ],
    [
      'an unused value',
      'UpdateCommand',
      { Key: key, ConditionExpression: 'pk = :a', ExpressionAttributeValues: { ':a': 1, ':b': 1 } },
    ],
    [
      'an unused name',
      'UpdateCommand',
      {
        Key: key,
        UpdateExpression: 'SET pk = :a',
        ExpressionAttributeNames: { '#a': 'x' },
        ExpressionAttributeValues: { ':a': 1 },
      },
    ],
    ['an undefined value', 'QueryCommand', { KeyConditionExpression: 'pk = :a' }],
    ['an empty key', 'PutCommand', { Item: { pk: '', sk: 'b' } }],
    ['an empty key of an index', 'PutCommand', { Item: { ...key, list_key: '' } }],
    ['a long key', 'PutCommand', { Item: { pk: 'a', sk: 'é'.repeat(513) } }],
    ['a large item', 'PutCommand', { Item: { ...key, text: 'x'.repeat(410_000) } }],
    ['a consistent read of an index', 'QueryCommand', { IndexName: 'list', ConsistentRead: true }],
    [
      '101 items',
      'TransactWriteCommand',
      { ClientRequestToken: 'x', TransactItems: Array.from({ length: 101 }, (_u, n) => write({ pk: `${n}` })) },
    ],
    ['an item twice', 'TransactWriteCommand', { ClientRequestToken: 'x', TransactItems: [write(key), write(key)] }],
    ['no token', 'TransactWriteCommand', { TransactItems: [write(key)] }],
    [
      'a large batch',
      'BatchGetCommand',
      { RequestItems: { t: { Keys: Array.from({ length: 101 }, (_u, n) => ({ pk: `${n}` })) } } },
    ],
    ['a double batch', 'BatchGetCommand', { RequestItems: { t: { Keys: [key, key] } } }],
    [
      '26 writes',
      'BatchWriteCommand',
      { RequestItems: { t: Array.from({ length: 26 }, (_u, n) => ({ DeleteRequest: { Key: { pk: `${n}` } } })) } },
    ],
  ])('refuse %s', (_case, command, input) => {
    expect(() => checkRequest(command, input)).toThrow('DynamoDB would refuse');
  });

  it('pass what DynamoDB takes', () => {
    const values = { ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':a': 1 } };
    checkRequest('UpdateCommand', { Key: key, UpdateExpression: 'SET #s = :a REMOVE lease, due_key', ...values });
    checkRequest('TransactWriteCommand', {
      ClientRequestToken: 'x',
      TransactItems: [write(key), write({ pk: 'a', sk: 'c' })],
    });
  });
});
