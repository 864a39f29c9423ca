import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RangedFile } from '#service/ports/parquet.ts';
import { encodeFrame, type Frame, framesOf, kinds, mostPayload } from './frames.ts';

/** A process that reads one file. */
export interface ReaderProcess {
  send(frame: Buffer): Promise<void>;
  /** The next frame that is no question for bytes: those are answered. Throws when the process is gone or lies. */
  next(): Promise<Frame>;
  kill(): void;
}

const isSource = import.meta.url.endsWith('.ts');
/** Beside this module: TypeScript in the project, JavaScript where both were bundled. */
const script = fileURLToPath(new URL(isSource ? './parquet-reader.ts' : './parquet-reader.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Its own code, and nothing else of the machine. */
const readable = isSource
  ? [`${dirname(script)}/`, `${root}node_modules/`, `${root}package.json`]
  : [`${dirname(script)}/`];

const heapMegabytes = 768;
const flags = [
  '--permission',
  ...readable.map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  '--no-addons',
  '--no-warnings',
  `--max-old-space-size=${heapMegabytes}`,
];
/** Buffers lie outside of the heap: the kernel bounds both together (kilobytes), and processor time (seconds). */
const limitThenRun = 'ulimit -c 0 && ulimit -f 0 && ulimit -d 1258291 && ulimit -t 600 && exec "$0" "$@"';
/** Killed after so many milliseconds. */
export function startReader(file: RangedFile, timeout: number): ReaderProcess {
  const child = spawn('/bin/sh', ['-c', limitThenRun, process.execPath, ...flags, script], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout,
    killSignal: 'SIGKILL',
  });
  // The process may be gone before it read everything, and that is seen on its other pipe.
  child.stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  const frames = framesOf(child.stdout);
  const send = (frame: Buffer) =>
    new Promise<void>((resolve) => {
      child.stdin.write(frame, () => resolve());
    });
  return {
    send,
    async next() {
      for (;;) {
        const { value, done } = await frames.next();
        if (done || value.kind === kinds.failed) throw new Error('the file cannot be read');
        if (value.kind !== kinds.read) return value;
        await answer(file, value.payload, send);
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

async function answer(file: RangedFile, payload: Buffer, send: (frame: Buffer) => Promise<void>): Promise<void> {
  const { from, to } = JSON.parse(payload.toString('utf8')) as { readonly from: unknown; readonly to: unknown };
  if (!isPlace(from) || !isPlace(to) || from >= to || to > file.size_bytes) throw new Error('no part of the file');
  for (let at = from; at < to; at += mostPayload) {
    await send(encodeFrame(kinds.bytes, await file.read(at, Math.min(to, at + mostPayload))));
  }
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
