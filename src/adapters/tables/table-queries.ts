import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { Json } from '#contract/json.ts';
import { type QueryReply, recordedTables, type TableQueries } from '#service/ports/recorded-tables.ts';
import { queryScript } from './query-script.ts';

/** Query processes at once in this process; each may take a gigabyte and 10 s. */
const atOnce = 2;
/** A reply is 1 MiB of rows at most; more is not our program's. */
const mostReplyBytes = 4 << 20;
const flags = ['--permission', '--no-warnings', '--max-old-space-size=256'];
/** SQLite counts no memory in this build, so the kernel bounds what the process holds: kilobytes. No core, no file. */
const limitThenRun = 'ulimit -c 0 && ulimit -f 0 && ulimit -d 1048576 && exec "$0" "$@"';

const json = z.custom<Json>((value) => value !== undefined);
const replySchema: z.ZodType<QueryReply> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('rows'),
    columns: z.array(z.string()),
    rows: z.array(z.array(json)),
    truncated: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
]);

/**
 * `bifrost.query` in SQLite, in memory, in a process of its own: a query that runs for ever can only be ended with the
 * process it runs in (docs/spec/verification.md §4.4).
 */
export function processQueries(): TableQueries {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async query(tables, sql, { most, timeout_ms }, signal) {
      // Whoever ends hands its place to the first that waits.
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        signal.throwIfAborted();
        return await run(JSON.stringify({ tables, sql: withQuotedTables(sql), most }), timeout_ms, signal);
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

const quotedOrNamed =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\b(?:vala\.drift\.observations|traces\.spans)\b/giu;

/** SQLite knows no name of three parts: outside of texts, quoted names and comments ours are quoted. A closing `;` goes. */
function withQuotedTables(sql: string): string {
  return sql
    .trim()
    .replace(/;$/u, '')
    .replaceAll(
      quotedOrNamed,
      (found) => recordedTables.find((name) => name === found.toLowerCase())?.replace(/.+/u, '"$&"') ?? found,
    );
}

function run(task: string, timeout: number, signal: AbortSignal): Promise<QueryReply> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', limitThenRun, process.execPath, ...flags, '-e', queryScript], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout,
      killSignal: 'SIGKILL',
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > mostReplyBytes) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.on('error', () => resolve({ kind: 'failed' }));
    child.on('close', (code, killed) => {
      if (killed !== null) resolve({ kind: 'too_long' });
      else resolve(code === 0 ? read(Buffer.concat(chunks)) : { kind: 'failed' });
    });
    // The process may be gone before it read everything.
    child.stdin.on('error', () => {});
    child.stdin.end(task);
  });
}

function read(bytes: Buffer): QueryReply {
  try {
    return replySchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return { kind: 'failed' };
  }
}
