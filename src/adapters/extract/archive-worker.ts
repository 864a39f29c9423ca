import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { boundedArchives } from './archives.ts';

const task = z.object({ format: z.enum(['zip', 'tar_gz']), bytes: z.instanceof(Uint8Array) }).parse(workerData);

/** One container, then it ends. */
parentPort?.postMessage(await boundedArchives().read(task.format, task.bytes, new AbortController().signal));
