import { Worker } from 'node:worker_threads';
import type { EffectFailure, Extract, ExtractReply } from '#service/ports.ts';
import type { ExtractDone, ExtractTask } from './worker.ts';

/** Bounds of one extraction (docs/spec/verification.md §4.3). */
const defaultTimeLimit = 30_000;
const memoryMegabytes = 512;
const memoryCheckMilliseconds = 50;
const maxFileBytes = 100 * 1024 * 1024;
const maxWaiting = 64;

interface Job {
  readonly task: Omit<ExtractTask, 'id'>;
  readonly signal: AbortSignal;
  readonly done: (reply: ExtractReply) => void;
}

export interface ExtractOptions {
  /** Milliseconds of one document. */
  readonly timeLimit?: number;
}

/**
 * The `Extract` port in a worker with a memory bound. One document at a time; a worker that exceeds its time or memory
 * is ended, and only that document suffers. It starts with the first document.
 */
export function createExtract({
  timeLimit = defaultTimeLimit,
}: ExtractOptions = {}): Extract & { close(): Promise<void> } {
  const waiting: Job[] = [];
  let worker: Worker | null = null;
  let working = false;

  async function next(): Promise<void> {
    const job = waiting.shift();
    if (working || job === undefined) {
      if (job !== undefined) waiting.unshift(job);
      return;
    }
    working = true;
    worker ??= startWorker();
    const reply = await runJob(worker, job, timeLimit);
    if (reply.ended) worker = null;
    working = false;
    job.done(reply.reply);
    void next();
  }

  return {
    extract: ({ format, bytes }, signal) => {
      if (bytes.byteLength > maxFileBytes) return Promise.resolve(limit('the file is above 100 MiB'));
      if (waiting.length >= maxWaiting) return Promise.resolve({ kind: 'busy' });
      return new Promise((done) => {
        waiting.push({ task: { format, bytes }, signal, done });
        void next();
      });
    },
    close: async () => {
      await worker?.terminate();
      worker = null;
    },
  };
}

/** Beside this module: TypeScript in the project, JavaScript where both were bundled. */
const workerScript = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.mjs', import.meta.url);

function startWorker(): Worker {
  const worker = new Worker(workerScript, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    env: {},
    execArgv: [],
  });
  worker.unref();
  return worker;
}

interface Ran {
  readonly reply: ExtractReply;
  /** The worker is gone. */
  readonly ended: boolean;
}

let lastId = 0;

function runJob(worker: Worker, { task, signal }: Job, timeLimit: number): Promise<Ran> {
  const id = ++lastId;
  return new Promise((resolve) => {
    const finish = (ran: Ran) => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
      worker.off('message', receive).off('error', fail).off('exit', exit);
      if (ran.ended) void worker.terminate();
      resolve(ran);
    };
    const receive = (done: ExtractDone) => {
      // Only this format is read in many turns, so only it can leave work behind, which must not meet the next document.
      if (done.id === id) finish({ reply: done.reply, ended: task.format === 'pdf' && done.reply.kind !== 'output' });
    };
    const fail = (error: Error & { code?: string }) => {
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      finish({ reply: memory ? limit(tooMuchMemory) : unavailable, ended: true });
    };
    const watch = setInterval(
      () => void usesTooMuch(worker).then((much) => much && finish({ reply: limit(tooMuchMemory), ended: true })),
      memoryCheckMilliseconds,
    );
    const exit = () => finish({ reply: unavailable, ended: true });
    const abort = () => finish({ reply: unavailable, ended: true });
    const timer = setTimeout(() => finish({ reply: limit('the document takes too long'), ended: true }), timeLimit);
    worker.on('message', receive).on('error', fail).on('exit', exit);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else worker.postMessage({ id, ...task } satisfies ExtractTask);
  });
}

const tooMuchMemory = 'the document needs over 512 MiB';

/** The engine's own bound covers its heap; what a document inflates to lies in buffers outside of it. */
async function usesTooMuch(worker: Worker): Promise<boolean> {
  try {
    const { used_heap_size, external_memory } = await worker.getHeapStatistics();
    return used_heap_size + external_memory > memoryMegabytes * 1024 * 1024;
  } catch {
    // It ended; its exit is reported elsewhere.
    return false;
  }
}

const unavailable: EffectFailure = { kind: 'failure', code: 'evidence_unavailable', retryable: true };

function limit(reason: string): EffectFailure {
  return { kind: 'failure', code: 'extract_limit', retryable: false, reason };
}
