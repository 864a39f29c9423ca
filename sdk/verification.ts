import { z } from 'zod';
import type { Route } from '#contract/cards/agent.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { Json } from '#contract/json.ts';
import {
  executionStateSchema,
  executionsPageSchema,
  verificationResultSchema,
} from '#contract/requests/verification.ts';
import type { VerificationResult } from '#contract/result.ts';
import { decode } from './decode.ts';
import type { FileInput } from './evidence.ts';
import { toQuery } from './query.ts';
import type { Transport } from './transport.ts';

/** What is sent for one slot (docs/spec/wire.md §6.1). */
export type SlotInput =
  | { readonly kind: 'json'; readonly value: Json }
  | FileInput
  | { readonly kind: 'artifact'; readonly artifact: CardRef; readonly path?: string }
  | { readonly kind: 'trace'; readonly trace_id: string };

export interface ExecuteRequest {
  readonly verifier_card_uid: string;
  /** The subject that is judged. */
  readonly card_uid: string;
  readonly inputs?: Readonly<Record<string, SlotInput>>;
  readonly run_id?: string;
  readonly group_id?: string;
  readonly execution_route_overrides?: Readonly<Record<string, Route>>;
  readonly deployment_environment?: string;
}

export interface ExecutionsQuery {
  readonly status?: string;
  readonly verdict?: string;
  /** A uid or `name[@version]`; so is `subject`. */
  readonly verifier?: string;
  readonly subject?: string;
  readonly group_id?: string;
  readonly run_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export type ExecutionsPage = z.infer<typeof executionsPageSchema>;

/** docs/spec/wire.md §6.6. Open: a newer service may say more. */
export interface ExecutionState {
  readonly execution_id: string;
  readonly status: z.infer<typeof executionStateSchema>['status'];
  /** With `completed`. */
  readonly result?: VerificationResult;
  /** With `cancelled`, `timed_out` and `errored`. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly dispatches: readonly {
    readonly dispatch_id: string;
    readonly operator: { readonly uid?: string; readonly digest?: string };
    readonly status: string;
    readonly error: { readonly code: string } | null;
  }[];
  readonly group_id?: string;
  readonly owner_card_uid?: string;
}

const healthSchema = z.looseObject({ status: z.string(), version: z.string() });

/** `execute` answers within 60 s or with a 504; the front door may add a little (docs/spec/wire.md §1.5, §1.6). */
const executeTimeoutMs = 70_000;

/** Judging, and reading what was judged (docs/spec/wire.md §6). */
export function verificationCalls(transport: Transport) {
  return {
    /** A failed or inconclusive verdict is an ordinary answer. Never repeated by this client once it was sent. */
    async execute(
      request: ExecuteRequest,
      options: { readonly signal?: AbortSignal } = {},
    ): Promise<VerificationResult> {
      // The schema has looked at what every reader needs; the rest is the service's, members it may add included.
      const answer: unknown = await transport.call(
        {
          method: 'POST',
          path: '/v1/verification/execute',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
          repeatable: false,
          timeoutMs: executeTimeoutMs,
          signal: options.signal,
        },
        verificationResultSchema,
      );
      return answer as VerificationResult;
    },
    async getExecution(executionId: string): Promise<ExecutionState> {
      const path = `/v1/verification/executions/${encodeURIComponent(executionId)}`;
      const answer: unknown = await transport.call({ method: 'GET', path, repeatable: true }, executionStateSchema);
      return answer as ExecutionState;
    },
    /** One page, newest first. */
    listExecutions(query: ExecutionsQuery = {}): Promise<ExecutionsPage> {
      const path = `/v1/verification/executions${toQuery({ ...query })}`;
      return transport.call({ method: 'GET', path, repeatable: true }, executionsPageSchema);
    },
    /** Needs no credential. */
    async health(): Promise<z.infer<typeof healthSchema>> {
      return decode(healthSchema, await transport.send({ method: 'GET', path: '/health', repeatable: true }));
    },
  };
}
