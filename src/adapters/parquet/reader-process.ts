import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RangedFile } from '#service/ports/parquet.ts';
import { encodeFrame, type Frame, framesOf, kinds, mostPayload } from './frames.ts';

/** A process that reads one file. */
export interface ReaderProcess {
  ask(question: Buffer): Promise<void>;
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
const limitThenRun = 'ulimit -c 0 && ulimit -f 0 && ulimit -d 1258291 && ulimit -t 360 && exec "$0" "$@"';
/** Each question may read the file once, with what writers leave between columns read again. */
const readings = 2;
const readBesides = 32 * 1_048_576;

/** How long the process may live, in milliseconds, and what ends it before. */
export interface Limits {
  readonly longest_ms: number;
  readonly stopping?: AbortSignal;
}

export function startReader(file: RangedFile, { longest_ms, stopping }: Limits): ReaderProcess {
  const child = spawn('/bin/sh', ['-c', limitThenRun, process.execPath, ...flags, script], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: longest_ms,
    ...(stopping && { signal: stopping }),
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
  let left = 0;
  return {
    ask(question) {
      left = readings * file.size_bytes + readBesides;
      return send(question);
    },
    async next() {
      for (;;) {
        const { value, done } = await frames.next();
        // That the host stops says nothing about the file.
        if (stopping?.aborted) throw new DOMException('the host stops', 'AbortError');
        if (done || value.kind === kinds.failed) throw new Error('the file cannot be read');
        if (value.kind !== kinds.read) return value;
        const range = rangeOf(value.payload, file.size_bytes);
        left -= range.to - range.from;
        if (left < 0) throw new Error('the file is read again and again');
        await answer(file, range, send);
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

async function answer(file: RangedFile, { from, to }: Range, send: (frame: Buffer) => Promise<void>): Promise<void> {
  for (let at = from; at < to; at += mostPayload) {
    await send(encodeFrame(kinds.bytes, await file.read(at, Math.min(to, at + mostPayload))));
  }
}

function rangeOf(payload: Buffer, size: number): Range {
  const { from, to } = JSON.parse(payload.toString('utf8')) as { readonly from: unknown; readonly to: unknown };
  if (!isPlace(from) || !isPlace(to) || from >= to || to > size) throw new Error('no part of the file');
  return { from, to };
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
