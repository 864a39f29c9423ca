import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListFunctionsCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { DescribeMapRunCommand, ListMapRunsCommand, ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dueOrder, executionKey } from '#adapters/aws/keys.ts';

/** The local AWS that the host under test is deployed to; undefined for any other host. */
export const awsEndpoint = process.env.TOUCHSTONE_AWS_ENDPOINT;

const options = {
  endpoint: awsEndpoint ?? '',
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};
const lambda = new LambdaClient(options);
export const stepFunctions = new SFNClient(options);
const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(options));

export interface Invoked {
  /** Set when the function failed. */
  readonly error: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever a function answers
  readonly answer: any;
}

/** Calls a function of the stack by the id it has there. */
export async function invoke(id: string, payload: unknown): Promise<Invoked> {
  const answered = await lambda.send(
    new InvokeCommand({ FunctionName: await functionName(id), Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  const text = Buffer.from(answered.Payload ?? []).toString('utf8');
  return { error: answered.FunctionError, answer: text === '' ? null : JSON.parse(text) };
}

async function functionName(id: string): Promise<string> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({ MaxItems: 50 }));
  const found = Functions.find(({ FunctionName }) => new RegExp(`-${id}Function`).test(FunctionName ?? ''));
  if (found?.FunctionName === undefined) throw new Error(`no function ${id}`);
  return found.FunctionName;
}

/** While the work lasts, each process of the function has so little memory that it dies as soon as it works. */
export async function withoutMemory<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  const FunctionName = await functionName(id);
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const Variables = Environment?.Variables ?? {};
  const set = (variables: Record<string, string>) =>
    lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: variables } }));
  await set({ ...Variables, NODE_OPTIONS: '--max-old-space-size=6 --max-semi-space-size=1' });
  try {
    return await work();
  } finally {
    await set({ ...Variables });
  }
}

export async function stateMachine(): Promise<string> {
  const { stateMachines = [] } = await stepFunctions.send(new ListStateMachinesCommand({}));
  const found = stateMachines.find(({ name }) => name?.endsWith('-attempt'));
  if (found?.stateMachineArn === undefined) throw new Error('no state machine');
  return found.stateMachineArn;
}

/** Lets the lease of a running execution be over, as if its 360 s had passed. */
export async function lapseLease(tenant: string, id: string): Promise<void> {
  const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}));
  const TableName = TableNames.find((name) => /executions/i.test(name));
  const at = Date.now() - 1_000;
  await dynamo.send(
    new UpdateCommand({
      TableName,
      Key: executionKey(tenant, id),
      UpdateExpression: 'SET due_at = :at, due_order = :order',
      ConditionExpression: '#status = :running',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':at': at, ':order': dueOrder(at, tenant, id), ':running': 'running' },
    }),
  );
}

/** What waits in a queue of the stack, as one text; it stays there. */
export async function deadLetters(id: string): Promise<string> {
  const { QueueUrls = [] } = await askQueues('ListQueues', {});
  const QueueUrl = QueueUrls.find((url: string) => url.includes(`-${id}`));
  const { Messages = [] } = await askQueues('ReceiveMessage', {
    QueueUrl,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 0,
  });
  return Messages.map(({ Body }: { readonly Body: string }) => Body).join('\n');
}

/** SQS, whose client nothing else here needs. The local AWS looks at no signature. */
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever a service answers
async function askQueues(action: string, body: object): Promise<any> {
  const credential = 'test/20260101/us-east-1/sqs/aws4_request';
  const answer = await fetch(options.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AmazonSQS.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** States of the distributed Maps of an execution's first attempt. */
export async function mapRuns(executionId: string): Promise<readonly (string | undefined)[]> {
  const executionArn = `${(await stateMachine()).replace(':stateMachine:', ':execution:')}:${executionId}-1`;
  const { mapRuns: runs = [] } = await stepFunctions.send(new ListMapRunsCommand({ executionArn }));
  return Promise.all(
    runs.map(async ({ mapRunArn }) => (await stepFunctions.send(new DescribeMapRunCommand({ mapRunArn }))).status),
  );
}
