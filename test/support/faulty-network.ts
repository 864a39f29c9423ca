import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What happens to one request on its way. */
export type Fault =
  /** The service refuses it with this exception of DynamoDB. */
  | { readonly refuse: string; readonly body?: object }
  /** Something between fails. */
  | { readonly status: number }
  /** A batch is done in part: the service leaves all but the first of it. */
  | 'part_of_batch'
  /** The service does its work, and the answer is lost. */
  | 'lost_answer'
  /** The connection breaks before anything was done. */
  | 'lost_request';

export interface FaultyNetwork {
  /** Where clients send to, in place of the service. */
  readonly endpoint: string;
  /** Faults of the next requests of this operation (`UpdateItem`, or a method of S3), in order; null lets one through. */
  plan(operation: string, ...faults: readonly (Fault | null)[]): void;
  /** The fault of every request of this operation. */
  planAlways(operation: string, fault: Fault): void;
  /** The service's clock, as its answers show it, is so many milliseconds ahead. */
  shiftDates(ms: number): void;
  /** How many requests of this operation came. */
  sent(operation: string): number;
  close(): Promise<void>;
}

/** A network between clients and the local AWS that fails as planned. */
export async function openFaultyNetwork(target: string): Promise<FaultyNetwork> {
  const planned = new Map<string, (Fault | null)[]>();
  const always = new Map<string, Fault>();
  const operations: string[] = [];
  let shift = 0;
  const server = createServer((incoming, outgoing) => {
    const operation = operationOf(incoming);
    operations.push(operation);
    const fault = always.get(operation) ?? planned.get(operation)?.shift() ?? null;
    carry(target, incoming, outgoing, fault, shift).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    plan: (operation, ...faults) => planned.set(operation, [...faults]),
    planAlways: (operation, fault) => always.set(operation, fault),
    shiftDates: (ms) => {
      shift = ms;
    },
    sent: (operation) => operations.filter((name) => name === operation).length,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function operationOf(incoming: IncomingMessage): string {
  const target = incoming.headers['x-amz-target'];
  return typeof target === 'string' ? (target.split('.')[1] ?? '') : (incoming.method ?? '');
}

async function carry(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | null,
  shift: number,
) {
  const body = await buffer(incoming);
  if (fault === 'lost_request') return outgoing.destroy();
  if (fault !== null && typeof fault === 'object') return refuse(outgoing, fault);
  if (fault === 'part_of_batch') return carryFirst(target, incoming, outgoing, body);
  const { status, headers, content } = await forward(target, incoming, body);
  if (fault === 'lost_answer') return outgoing.destroy();
  const date = new Date(Date.now() + shift).toUTCString();
  return outgoing.writeHead(status, { ...headers, date }).end(content);
}

async function forward(target: string, incoming: IncomingMessage, body: Uint8Array) {
  const url = new URL(incoming.url ?? '/', target);
  const headers = { ...incoming.headers, 'content-length': String(body.byteLength) };
  const upstream = request(url, { method: incoming.method, headers });
  upstream.end(body);
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 500, headers: answer.headers, content: await buffer(answer) };
}

type Batch = Record<string, { readonly Keys: readonly unknown[] } | readonly unknown[]>;

async function carryFirst(target: string, incoming: IncomingMessage, outgoing: ServerResponse, body: Uint8Array) {
  const asked = JSON.parse(body.toString()) as { readonly RequestItems: Batch };
  const first: Batch = {};
  const left: Batch = {};
  for (const [table, part] of Object.entries(asked.RequestItems)) {
    const entries = 'Keys' in part ? part.Keys : part;
    const wrap = (some: readonly unknown[]) => ('Keys' in part ? { ...part, Keys: some } : some);
    first[table] = wrap(entries.slice(0, 1));
    if (entries.length > 1) left[table] = wrap(entries.slice(1));
  }
  const { status, content } = await forward(
    target,
    incoming,
    Buffer.from(JSON.stringify({ ...asked, RequestItems: first })),
  );
  const answer = { ...JSON.parse(content.toString()), UnprocessedKeys: left, UnprocessedItems: left };
  return outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
}

function refuse(outgoing: ServerResponse, fault: Exclude<Fault, string>) {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  if ('status' in fault) return outgoing.writeHead(fault.status, headers).end('{}');
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${fault.refuse}`, ...fault.body };
  return outgoing.writeHead(400, headers).end(JSON.stringify(body));
}
