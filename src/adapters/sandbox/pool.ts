import { type Ending, type InterpreterProcess, startInterpreterProcess } from './interpreter-process.ts';
import type { LockedFiles } from './locked-process.ts';

/** Interpreters that wait for a call. Each serves one and is replaced. */
export interface Pool {
  call(request: Uint8Array, timeout: number, signal: AbortSignal): Promise<Ending>;
  /** Ends every process and waits until they are gone. */
  close(): Promise<void>;
}

export function createPool(files: LockedFiles, size: number, idleTime: number): Pool {
  const waiting: InterpreterProcess[] = [];
  const all = new Set<InterpreterProcess>();
  let calls = 0;
  let closed = false;
  let idle: NodeJS.Timeout | undefined;

  function start(): InterpreterProcess {
    const made = startInterpreterProcess(files);
    all.add(made);
    return made;
  }

  function end(process: InterpreterProcess): Promise<void> {
    return process.kill().then(() => {
      all.delete(process);
    });
  }

  function take(): InterpreterProcess {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!next.ended()) return next;
      void end(next);
    }
    return start();
  }

  /** After the call, not beside it: the start of an interpreter would compete with the code for the processor. */
  function refill(): void {
    while (!closed && waiting.length < size) waiting.push(start());
    if (calls > 0 || closed) return;
    idle = setTimeout(() => {
      for (const process of waiting.splice(0)) void end(process);
    }, idleTime);
    idle.unref();
  }

  return {
    call: async (request, timeout, signal) => {
      clearTimeout(idle);
      calls += 1;
      const process = take();
      try {
        // Cancelled while it starts: `call` sees it, and the wait for readiness ends with the process.
        const cancel = () => void process.kill();
        signal.addEventListener('abort', cancel, { once: true });
        const ready = await process.ready;
        signal.removeEventListener('abort', cancel);
        if (!ready) return { kind: signal.aborted ? 'cancelled' : 'died' };
        return await process.call(request, timeout, signal);
      } finally {
        calls -= 1;
        void end(process);
        // Starting a process blocks the host for milliseconds that the answer need not wait for.
        setImmediate(refill);
      }
    },
    close: async () => {
      closed = true;
      clearTimeout(idle);
      await Promise.all([...all].map(end));
    },
  };
}
