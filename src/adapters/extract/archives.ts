import { Worker } from 'node:worker_threads';
import type { Archives } from '#service/ports/archives.ts';
import type { EffectFailure } from '#service/ports.ts';
import { readArchive } from './archive/read-archive.ts';
import { ExtractFailure } from './extract-failure.ts';

/** Bounds of one container, as of one document (docs/spec/verification.md §4.3). */
const timeLimitMs = 30_000;
const memoryMegabytes = 512;

/** The `Archives` port where nothing else waits: it inflates in this thread. */
export function boundedArchives(): Archives {
  return {
    async read(format, bytes, signal) {
      signal.throwIfAborted();
      try {
        return { kind: 'files', files: await readArchive(format, bytes) };
      } catch (error) {
        return failure(error instanceof ExtractFailure ? error.code : 'extract_unreadable');
      }
    },
  };
}

/** The same in a worker, one a container: 200 MiB take the better part of a second, and a host has other calls. */
export function workerArchives(): Archives {
  return {
    read: (format, bytes, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const worker = new Worker(new URL('./archive-worker.ts', import.meta.url), {
          workerData: { format, bytes },
          resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
          env: {},
          execArgv: [],
        });
        const timer = setTimeout(() => end(() => resolve(failure('extract_limit'))), timeLimitMs);
        const abort = () => end(() => reject(signal.reason));
        const end = (settle: () => void) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          void worker.terminate();
          settle();
        };
        signal.addEventListener('abort', abort, { once: true });
        // Its own answer: what a container holds is only ever bytes in it.
        worker.once('message', (reply: Awaited<ReturnType<Archives['read']>>) => end(() => resolve(reply)));
        worker.once('error', () => end(() => resolve(failure('extract_limit'))));
        worker.once('exit', () => end(() => resolve(failure('extract_limit'))));
      }),
  };
}

function failure(code: 'extract_unreadable' | 'extract_limit'): EffectFailure {
  return { kind: 'failure', code, retryable: false };
}
