import type { Sandbox, SandboxReply, SandboxRequest } from '#service/ports.ts';
import { encodeRequest } from './frames.ts';
import { limits } from './limits.ts';
import { findNodeBinary } from './node-binary.ts';
import { createPool, type Pool } from './pool.ts';
import { prepare } from './prepare.ts';
import { failure, toReply } from './reply.ts';
import { createTurns } from './turns.ts';

export interface SandboxOptions {
  /** Folder where the snapshot is kept between starts of the host; null: made anew in each. */
  readonly cache: string | null;
  /** Calls at a time; default 1. */
  readonly concurrency?: number;
  /** Interpreters kept ready after the first call; default 1. */
  readonly waiting?: number;
  /** Calls that may wait for their turn; default 64. */
  readonly queue?: number;
  /** A call that waited this long for its turn is `busy`; default 20 s. */
  readonly patience_ms?: number;
  /** Interpreters that waited this long without a call are ended; default 5 minutes. */
  readonly idle_ms?: number;
  /** Node 26; found beside this adapter by default, null = not there. */
  readonly node?: string | null;
  /** The machine itself reaches no network: `node` may be older than 26 (docs/decisions/aws-deployment.md). */
  readonly unconnected?: boolean;
}

const entrypointForm = /^[A-Za-z_][A-Za-z0-9_]*$/;
const missingBinary = 'the locked interpreter is not installed: Node 26 is missing (run npm ci)';

/**
 * The `Sandbox` port in locked child processes, one a call (docs/spec/verification.md §4.5). Nothing is started before
 * the first call. Without Node 26 every call is `code_unavailable`: code never runs in a process that is not locked.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const node = options.node === undefined ? findNodeBinary() : options.node;
  const most = { running: options.concurrency ?? 1, queue: options.queue ?? 64 };
  const turns = createTurns(most.running, most.queue, options.patience_ms ?? 20_000);
  let pool: Promise<{ pool: Pool; interpreter: string; discard: () => Promise<void> }> | undefined;
  let closed = false;

  function start(binary: string) {
    pool ??= prepare(binary, options.cache).then(
      ({ files, interpreter, discard }) => ({
        pool: createPool(
          { ...files, unconnected: options.unconnected ?? false },
          options.waiting ?? 1,
          options.idle_ms ?? 300_000,
        ),
        interpreter,
        discard,
      }),
      (cause: unknown) => {
        pool = undefined;
        throw cause;
      },
    );
    return pool;
  }

  async function runNow(
    binary: string,
    request: SandboxRequest,
    frame: Uint8Array,
    signal: AbortSignal,
  ): Promise<SandboxReply> {
    try {
      const started = await start(binary);
      if (closed) return failure('code_unavailable', 'the sandbox is closed');
      const ending = await started.pool.call(frame, Math.min(request.timeout_ms, limits.timeout_ms), signal);
      return replyTo(ending, started.interpreter);
    } catch {
      return failure('code_unavailable', 'the sandbox did not start');
    }
  }

  return {
    run: async (request, signal) => {
      if (closed) return failure('code_unavailable', 'the sandbox is closed');
      if (node === null) return failure('code_unavailable', missingBinary);
      if (!entrypointForm.test(request.entrypoint)) return failure('code_entrypoint_missing');
      if (Number.isNaN(Date.parse(request.clock))) return failure('code_unavailable', 'the clock is no time');
      const frame = encodeRequest(request);
      if (frame === null) return failure('code_memory', 'the source or the inputs are above their limits');
      const turn = await turns.take(signal);
      if (turn === 'busy') return { kind: 'busy', retry_after_ms: 1000 };
      if (turn === 'cancelled') return failure('code_unavailable', 'the call was cancelled');
      try {
        return await runNow(node, request, frame, signal);
      } finally {
        turn.release();
      }
    },
    close: async () => {
      closed = true;
      const started = await pool?.catch(() => undefined);
      await started?.pool.close();
      await started?.discard();
    },
  };
}

function replyTo(ending: Awaited<ReturnType<Pool['call']>>, interpreter: string): SandboxReply {
  switch (ending.kind) {
    case 'report':
      return toReply(ending.report, interpreter);
    case 'timeout':
      return failure('code_timeout');
    case 'memory':
      return failure('code_memory');
    case 'cancelled':
      return failure('code_unavailable', 'the call was cancelled');
    case 'died':
      return failure('code_unavailable');
  }
}
