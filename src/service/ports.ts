import type { CardRef } from '#contract/cards/reference.ts';
import type { MediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';

/**
 * The effects a use case may have. One interface a port, implemented twice where hosts differ
 * (src/adapters/embedded, src/adapters/aws) or once where they do not. Times are RFC 3339 text or milliseconds since the epoch.
 */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** UUIDv7, lower case. */
  next(): string;
}

/** Content-addressed bytes of one tenant (docs/spec/wire.md §5). */
export interface Evidence {
  /** Sizes of the digests the tenant holds, of those asked. */
  sizes(tenant: string, digests: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Bytes as the store has them, or null when they are not there: the reader checks them. Throws when the store fails. */
  read(tenant: string, sha256: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  /** The bytes `[from, to)`, unchecked: whoever reads parts checks the whole. Null when the file is not there. Throws when the store fails. */
  readPart(tenant: string, sha256: string, from: number, to: number): Promise<Uint8Array | null>;
  /** Stores bytes whose digest and length must be the declared ones; durable when it resolves. Idempotent. */
  write(
    tenant: string,
    declared: { readonly sha256: string; readonly size_bytes: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<'stored' | 'size_mismatch' | 'sha256_mismatch'>;
}

/** A failure of an effect, in the words of verification.md §15. Never the subject's fault. */
export interface EffectFailure {
  readonly kind: 'failure';
  readonly code: ReasonCode;
  readonly retryable: boolean;
  readonly reason?: string;
  readonly retry_after_ms?: number;
}

export interface EffectBusy {
  readonly kind: 'busy';
  readonly retry_after_ms?: number;
}

/** One message of a conversation with a model. Evidence is only ever in `user` parts, inside its boundary. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly parts: readonly ModelPart[];
}

export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly media_type: string; readonly bytes: Uint8Array; readonly filename?: string }
  /** What a model thought before it asked for tools; some providers want it back, as it was. */
  | ({ readonly kind: 'thought' } & ModelThought)
  | { readonly kind: 'tool_call'; readonly id: string; readonly tool: string; readonly arguments: JsonObject }
  | { readonly kind: 'tool_result'; readonly id: string; readonly tool: string; readonly result: Json };

export interface ModelThought {
  readonly text: string;
  /** The provider's own, a signature for example; null where it has none. */
  readonly provider: JsonObject | null;
}

export interface ModelRequest {
  /** `wyrd_gateway` deployment name, or `native` with the Prompt's provider. */
  readonly route: { readonly kind: 'wyrd_gateway'; readonly deployment: string } | { readonly kind: 'native' };
  /** Provider named by the Prompt. */
  readonly provider: string;
  readonly model: string;
  readonly system: string | null;
  readonly messages: readonly ModelMessage[];
  readonly settings: JsonObject;
  /** JSON Schema of the answer, or null for free text. */
  readonly schema: JsonObject | null;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
}

export type ModelReply =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly tool_calls: readonly { readonly id: string; readonly tool: string; readonly arguments: JsonObject }[];
      /** Of an answer that asks for tools, where the provider shows any. */
      readonly thoughts?: readonly ModelThought[];
      /** As the provider reports it. */
      readonly model_reported: string | null;
      readonly request_sha256: string;
      readonly response_sha256: string;
    }
  | { readonly kind: 'refusal' }
  | EffectFailure
  | EffectBusy;

/** One turn with a model (verification.md §4.4). Never throws for what a provider did. */
export interface Models {
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

export interface SandboxRequest {
  /** Python module text. */
  readonly source: string;
  readonly entrypoint: string;
  /** Keyword arguments. */
  readonly inputs: JsonObject;
  /** RFC 3339; the interpreter's clock stands here. */
  readonly clock: string;
  /** Wall time of the call, milliseconds. */
  readonly timeout_ms: number;
}

export type SandboxReply =
  | {
      readonly kind: 'output';
      readonly output: Json;
      /** Text printed by the code, at most 64 KiB, for its author; no result. */
      readonly printed: string;
      /** Build of the interpreter, for the record. */
      readonly interpreter: string;
    }
  | EffectFailure
  | EffectBusy;

/** Python on WebAssembly, fresh state a call (verification.md §4.5). Never throws for what the code did. */
export interface Sandbox {
  run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxReply>;
  /** Ends every process it started. */
  close(): Promise<void>;
}

export type ExtractReply =
  | {
      readonly kind: 'output';
      readonly output: JsonObject;
      readonly warnings: readonly string[];
      readonly version: string;
    }
  | EffectFailure
  | EffectBusy;

/** Documents to their JSON form (verification.md §4.3), bounded. Never throws for what a document holds. */
export interface Extract {
  extract(
    request: { readonly format: MediaFormat; readonly bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<ExtractReply>;
}

export type TraceReply =
  | { readonly kind: 'trace'; readonly trace: JsonObject }
  | { readonly kind: 'not_found' | 'not_landed' | 'failed' };

/** Traces as assembled in verification.md §9.2. */
export interface Traces {
  read(tenant: string, traceId: string, signal: AbortSignal): Promise<TraceReply>;
}

/** Files of active Artifact Cards of a tenant. */
export interface Artifacts {
  /** The bytes of one file; null when the Card, or the path in it, is not there. `path` is needed when it holds several. */
  file(tenant: string, artifact: CardRef, path: string | undefined, signal: AbortSignal): Promise<Uint8Array | null>;
}

export interface Log {
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
}
