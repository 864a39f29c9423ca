import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { decodeReport, type Report } from './frames.ts';
import { limits } from './limits.ts';
import { type LockedFiles, startLockedProcess } from './locked-process.ts';

/** How the one call of a process ended. */
export type Ending =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'timeout' | 'memory' | 'died' | 'cancelled' };

/** One process, one call. */
export interface InterpreterProcess {
  /** Resolves to false when it ends before it is ready. */
  readonly ready: Promise<boolean>;
  /** True once the process is of no more use. */
  ended(): boolean;
  call(request: Uint8Array, timeout: number, signal: AbortSignal): Promise<Ending>;
  /** Resolves when the process is gone. */
  kill(): Promise<void>;
}

const guardInterval = 100;

export function startInterpreterProcess(files: LockedFiles): InterpreterProcess {
  const child = startLockedProcess('serve', files);
  const readiness = Promise.withResolvers<boolean>();
  const ending = Promise.withResolvers<Ending>();
  const gone = Promise.withResolvers<void>();
  let ended = false;
  let ready = false;

  const end = (how: Ending) => {
    ended = true;
    child.kill('SIGKILL');
    clearTimeout(slowStart);
    readiness.resolve(false);
    ending.resolve(how);
  };
  const slowStart = setTimeout(() => end({ kind: 'died' }), limits.start_ms);

  let received: Buffer = Buffer.alloc(0);
  child.stdout.on('data', (bytes: Buffer) => {
    if (ended) return;
    received = Buffer.concat([received, ready ? bytes : bytes.subarray(1)]);
    ready = true;
    clearTimeout(slowStart);
    readiness.resolve(true);
    const report = received.length === 0 ? 'partial' : decodeReport(received);
    if (report === 'broken') end({ kind: 'died' });
    else if (report !== 'partial') end({ kind: 'report', report });
  });
  const outOfMemory = watchForMemory(child.stderr);
  // A pipe that closes early is seen as the end of the process.
  child.stdin.on('error', () => undefined);
  child.on('error', () => {
    end({ kind: 'died' });
    gone.resolve();
  });
  child.on('close', () => {
    end({ kind: outOfMemory() ? 'memory' : 'died' });
    gone.resolve();
  });

  return {
    ready: readiness.promise,
    ended: () => ended,
    call: async (request, timeout, signal) => {
      const cancel = () => end({ kind: 'cancelled' });
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel, { once: true });
      const timer = setTimeout(() => end({ kind: 'timeout' }), timeout);
      const guard = setInterval(() => {
        if (residentBytes(child.pid) > limits.resident_bytes) end({ kind: 'memory' });
      }, guardInterval);
      if (!ended) child.stdin.end(request);
      const how = await ending.promise;
      clearTimeout(timer);
      clearInterval(guard);
      signal.removeEventListener('abort', cancel);
      return how;
    },
    kill: () => {
      end({ kind: 'cancelled' });
      return gone.promise;
    },
  };
}

/** The engine says so on standard error when its own heap ran out; the rest of what is written there is dropped. */
function watchForMemory(stderr: Readable): () => boolean {
  let text = '';
  stderr.on('data', (bytes: Buffer) => {
    if (text.length < 4096) text += bytes.toString('latin1');
  });
  return () => /heap out of memory|Allocation failed|bad_alloc/.test(text);
}

/** Where the system tells: elsewhere the bounds of the engine hold alone. */
function residentBytes(pid: number | undefined): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1];
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
