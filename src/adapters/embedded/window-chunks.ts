import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FeatureValue, WindowLook, WindowRow } from '#service/ports/observations.ts';
import { storeFailure } from '#service/ports/store-failure.ts';

export interface WindowTask {
  readonly path: string;
  readonly tenant: string;
  readonly look: WindowLook;
}

/** Records, flat: of each its id, and its value of each feature asked for, in that order; undefined: it has none. */
export interface WindowChunk {
  readonly ids: readonly string[];
  readonly values: readonly (FeatureValue | undefined)[];
  readonly isLast: boolean;
}

const script = new URL('./window-worker.ts', import.meta.url);
/** Its rows are in SQLite's bounded memory and in its temporary file. */
const heapMegabytes = 128;

/**
 * A window read and sorted in a thread of its own, with a connection that only reads: a million rows take a second or two
 * in which the event loop is free. The thread ends with the reading, however that ends. Throws the signal's reason, or a
 * `StoreFailure`.
 */
export async function* readInThread(task: WindowTask, signal?: AbortSignal): AsyncGenerator<WindowRow, void, void> {
  signal?.throwIfAborted();
  const worker = new Worker(script, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    env: {},
    execArgv: [],
  });
  // What it still says when nobody listens any more must not end the host.
  worker.on('error', () => undefined);
  try {
    yield* chunksOf(worker, task.look.features, signal);
  } finally {
    await worker.terminate();
  }
}

async function* chunksOf(
  worker: Worker,
  features: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<WindowRow, void, void> {
  try {
    for await (const [chunk] of on(worker, 'message', { close: ['exit'], ...(signal && { signal }) })) {
      const { isLast, ...records } = chunk as WindowChunk;
      if (!isLast) worker.postMessage('next');
      yield* rowsOf(records, features);
      if (isLast) return;
      signal?.throwIfAborted();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw storeFailure('a window could not be read', error);
  }
  throw storeFailure('a window was not read to its end', null);
}

function* rowsOf({ ids, values }: Omit<WindowChunk, 'isLast'>, features: readonly string[]): Generator<WindowRow> {
  for (const [index, record_id] of ids.entries()) {
    const row = new Map<string, FeatureValue>();
    for (const [place, feature] of features.entries()) {
      const value = values[index * features.length + place];
      if (value !== undefined) row.set(feature, value);
    }
    yield { record_id, values: row };
  }
}
