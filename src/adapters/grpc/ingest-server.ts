import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { observationsTable } from '#contract/observations-table.ts';
import { arrowRecords, UnreadableSamples } from './arrow-records.ts';
import { toBatches } from './batches.ts';
import { type InsertBatch, readInsertBatch, writeInserted } from './insert-batch.ts';

/** The host's HTTP surface: what is said over gRPC is asked of `POST /v1/observations`, with the caller's own token. */
export type PostObservations = (body: string, headers: Readonly<Record<string, string>>) => Promise<Response>;

export interface IngestServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Bytes of one message; the client seals its batches far below. */
const maxMessageBytes = 16 * 1_048_576;
const passedOn = ['x-wyrd-access-token', 'wyrd-request-id', 'x-wyrd-workload-uid'] as const;

/** Serves `wyrd.v1.BifrostIngestService` in the clear (docs/spec/wire.md §9.1). Rejects when the address is taken. */
export async function startIngestServer(
  { host, port }: { readonly host: string; readonly port: number },
  post: PostObservations,
): Promise<IngestServer> {
  const server = new Server({ 'grpc.max_receive_message_length': maxMessageBytes });
  server.addService(service, { InsertBatch: insertBatch(post) });
  const name = host.includes(':') ? `[${host}]` : host;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${name}:${port}`, ServerCredentials.createInsecure(), (error, found) =>
      error === null ? resolve(found) : reject(error),
    );
  });
  return {
    port: bound,
    close: () =>
      new Promise((resolve) => {
        const hurry = setTimeout(() => server.forceShutdown(), 2_000);
        server.tryShutdown(() => {
          clearTimeout(hurry);
          resolve();
        });
      }),
  };
}

const service: ServiceDefinition = {
  InsertBatch: {
    path: '/wyrd.v1.BifrostIngestService/InsertBatch',
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes: Buffer) => bytes,
    // Read by the handler: what throws here would be told as a fault of ours.
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
};

function insertBatch(post: PostObservations): handleUnaryCall<Buffer, Buffer> {
  return (call, answer) => {
    insert(post, call).then(
      (inserted) => answer(null, inserted),
      (error: unknown) => answer(error instanceof Refused ? error.asStatus() : unavailable),
    );
  };
}

/** The client sends the same batch again. */
const unavailable = { code: status.UNAVAILABLE, details: 'the batch was not stored' };

async function insert(post: PostObservations, call: ServerUnaryCall<Buffer, Buffer>): Promise<Buffer> {
  const { batch_id, records } = read(call.request);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  for (const name of passedOn) {
    const [value] = call.metadata.get(name);
    if (typeof value === 'string') headers[name] = value;
  }
  for (const batch of toBatches(batch_id, records)) {
    const response = await post(JSON.stringify(batch), headers);
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, text);
  }
  return writeInserted(batch_id);
}

function read(bytes: Buffer): { readonly batch_id: Uint8Array; readonly records: ReturnType<typeof arrowRecords> } {
  try {
    const { table, batch_id, arrow_ipc }: InsertBatch = readInsertBatch(bytes);
    if (table !== observationsTable) throw new UnreadableSamples(`only ${observationsTable} is taken`);
    if (batch_id.length !== 16) throw new UnreadableSamples('wyrd_batch_id is not 16 bytes');
    const records = arrowRecords(arrow_ipc);
    if (records.length === 0) throw new UnreadableSamples('the batch has no rows');
    return { batch_id, records };
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): Refused {
  const detail = error instanceof UnreadableSamples ? error.message : 'the message cannot be read';
  return new Refused(400, problemOf(detail), { cause: error });
}

function problemOf(detail: string): string {
  return JSON.stringify({ code: 'WYRD_SPEC_400_VALIDATION', status: 400, title: 'Bad request', detail });
}

/** A refusal over HTTP, as gRPC says it: its problem document travels whole. */
class Refused extends Error {
  readonly #status: number;
  readonly #problem: string;

  constructor(httpStatus: number, problem: string, options?: ErrorOptions) {
    super('refused', options);
    this.#status = httpStatus;
    this.#problem = problem;
  }

  asStatus() {
    const metadata = new Metadata();
    metadata.add('wyrd-error-bin', Buffer.from(this.#problem));
    return { code: codes[this.#status] ?? status.UNAVAILABLE, details: `HTTP ${this.#status}`, metadata };
  }
}

/** Statuses that are not here are faults of ours, which pass. */
const codes: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.ALREADY_EXISTS,
  413: status.RESOURCE_EXHAUSTED,
  422: status.INVALID_ARGUMENT,
  429: status.RESOURCE_EXHAUSTED,
};
