import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { measure } from 'mitata';
import { checkRecord } from '#engine/record/check-record.ts';
import { benchBackground } from './bench/background.ts';
import { benchDocument } from './bench/document.ts';
import { psiOf } from './bench/drift.ts';
import { declare, verify } from './bench/engine.ts';
import { benchFloor, benchSync } from './bench/floor.ts';
import { benchHttp } from './bench/http.ts';
import { benchLog } from './bench/log.ts';
import { recordToMake } from './bench/make-record.ts';
import { recordsToCheck } from './bench/record.ts';
import { benchSandbox } from './bench/sandbox.ts';
import { benchSubmit } from './bench/submit.ts';
import { benchTrace } from './bench/trace.ts';
import { benchWindow } from './bench/window.ts';

/** `npm run bench [-- --write]`: the figures of docs/performance.md on this machine; `--write` keeps them there. */
interface Row {
  readonly work: string;
  readonly figure: string;
  readonly target: string;
}

const folder = await mkdtemp(join(tmpdir(), 'touchstone-bench-'));
try {
  const rows = [
    ...(await engineRows()),
    ...(await recordRows()),
    ...(await logRows()),
    ...(await httpRows()),
    ...(await submitRows()),
    ...(await sandboxRows()),
    ...(await documentRows()),
    ...(await backgroundRows()),
  ];
  const table = toTable(rows);
  console.log(table);
  if (process.argv.includes('--write')) await writeFile('docs/performance.md', document(table));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function engineRows(): Promise<readonly Row[]> {
  const verifier = declare();
  const verifying = await measure(() => verify(verifier), { min_cpu_time: 2e9 });
  const declaring = await measure(() => declare(), { min_cpu_time: 1e9 });
  return [
    {
      work: 'engine: 10 assertions on 2 KB, full result, one core',
      figure: `${whole(1e9 / verifying.avg)}/s, p50 ${micros(verifying.p50)} µs, p99 ${micros(verifying.p99)} µs`,
      target: '> 50,000/s, p50 < 20 µs, p99 < 60 µs',
    },
    { work: 'declare that Verifier', figure: `${micros(declaring.p50)} µs`, target: '< 1,000 µs' },
  ];
}

async function documentRows(): Promise<readonly Row[]> {
  const { first_ms, next_ms, most_mebibytes } = await benchDocument();
  return [
    {
      work: '100-page PDF text',
      figure: `${whole(first_ms)} ms with the start of the reader, then ${whole(next_ms)} ms; ${whole(most_mebibytes)} MB at most`,
      target: '< 2 s, < 400 MB',
    },
  ];
}

async function backgroundRows(): Promise<readonly Row[]> {
  const small = await measure(() => psiOf(10_000), { min_cpu_time: 1e9 });
  const large = await measure(() => psiOf(1_000_000), { min_cpu_time: 2e9 });
  const trace = await benchTrace(join(folder, 'trace'));
  const window = await benchWindow(join(folder, 'window'), 1_000_000);
  const figures = await benchBackground(join(folder, 'background'), { observations: 1_000_000, groups: 10_000 });
  return [
    { work: 'PSI of 10,000 values', figure: `${millis(small.p50)} ms`, target: '< 5 ms' },
    { work: 'PSI of 1,000,000 values, one at a time', figure: `${millis(large.p50)} ms`, target: '< 300 ms' },
    {
      work: 'PSI check over a stored window of 1,000,000 rows',
      figure: `${(window.total_ms / 1_000).toFixed(1)} s, other work waits ${whole(window.longest_block_ms)} ms at most; ${whole(window.most_mebibytes)} MB`,
      target: '< 10 s, < 100 ms, < 300 MB',
    },
    { work: 'execute: a trace check over 10,000 spans', figure: `${whole(trace)} ms`, target: '< 300 ms' },
    {
      work: 'a million observations over HTTP, a thousand a batch, each durable',
      figure: `${whole(figures.observationsPerSecond)}/s`,
      target: '> 20,000/s',
    },
    {
      work: '10,000 groups due at once, until all are admitted',
      figure: `${(figures.groupsAdmitted / 1_000).toFixed(1)} s`,
      target: '< 60 s',
    },
  ];
}

async function recordRows(): Promise<readonly Row[]> {
  const { alone, whole: held } = recordsToCheck();
  const checking = await measure(() => checkRecord(alone), { min_cpu_time: 1e9 });
  const replaying = await measure(() => checkRecord(held), { min_cpu_time: 1e9 });
  return [
    {
      work: 'check a record without evidence: form, two signatures, logic',
      figure: `${millis(checking.p50)} ms, p99 ${millis(checking.p99)} ms`,
      target: '< 5 ms',
    },
    {
      work: 'the same with result and Cards: every digest, 10 assertions again',
      figure: `${millis(replaying.p50)} ms, p99 ${millis(replaying.p99)} ms`,
      target: '–',
    },
  ];
}

async function logRows(): Promise<readonly Row[]> {
  const making = await measure(recordToMake(), { min_cpu_time: 1e9 });
  const log = await benchLog(join(folder, 'log'), 100_000);
  return [
    {
      work: 'make and sign the record of ten assertions (what it adds to a verification)',
      figure: `${millis(making.p50)} ms, p99 ${millis(making.p99)} ms`,
      target: '< 0.5 ms',
    },
    {
      work: 'embedded checkpoint over 100,000 records',
      figure: `${whole(log.checkpoint)} ms, other calls wait ${whole(log.longestTurn)} ms at most`,
      target: '< 5,000 ms',
    },
    {
      work: 'read a record with its inclusion proof in a log of 100,000',
      figure: `p50 ${log.proof.p50.toFixed(1)} ms, p99 ${log.proof.p99.toFixed(1)} ms`,
      target: '< 5 ms',
    },
  ];
}

async function httpRows(): Promise<readonly Row[]> {
  const http = await benchHttp(join(folder, 'data'), 100_000);
  return [
    {
      work: 'embedded execute, one connection',
      figure: `${(1000 / http.alone.perSecond).toFixed(2)} ms mean, p99 ${http.alone.p99} ms`,
      target: 'p50 < 3 ms',
    },
    {
      work: 'embedded execute, 16 connections',
      figure: `${whole(http.together.perSecond)}/s, p50 ${http.together.p50} ms, p99 ${http.together.p99} ms`,
      target: '> 800/s',
    },
    { work: 'the disk: write 4 KB and sync', figure: `${(await benchSync(folder)).toFixed(2)} ms`, target: '–' },
    {
      work: 'floor: bare route that signs and commits, 16 connections',
      figure: `${whole(await benchFloor(folder))}/s`,
      target: '–',
    },
    { work: 'embedded host start to first answer', figure: `${whole(http.start)} ms`, target: '< 500 ms' },
    { work: 'idle memory', figure: `${whole(http.idleMegabytes)} MB`, target: '< 120 MB' },
    {
      work: `memory after ${whole(http.verifications)} verifications`,
      figure: `${whole(http.afterMegabytes)} MB`,
      target: '< 300 MB',
    },
  ];
}

async function submitRows(): Promise<readonly Row[]> {
  const submit = await benchSubmit(join(folder, 'submit'));
  return [
    {
      work: 'embedded enqueue, one connection, while the work of the ones before runs',
      figure: `p50 ${submit.p50.toFixed(2)} ms, p99 ${submit.p99.toFixed(2)} ms`,
      target: '–',
    },
    {
      work: 'embedded background executions, enqueued by 16 connections until all are settled',
      figure: `${whole(submit.settledPerSecond)}/s`,
      target: '–',
    },
  ];
}

async function sandboxRows(): Promise<readonly Row[]> {
  const sandbox = await benchSandbox(join(folder, 'sandbox'));
  return [
    {
      work: 'Python check while a prepared interpreter waits',
      figure: `p50 ${sandbox.waiting.toFixed(1)} ms`,
      target: 'p50 < 10 ms',
    },
    { work: 'Python checks one after another', figure: `${sandbox.perSecond.toFixed(1)}/s`, target: '> 4/s' },
    { work: 'first Python check, snapshot there', figure: `${whole(sandbox.first)} ms`, target: '< 2,000 ms' },
    { work: 'first Python check ever (makes the snapshot)', figure: `${whole(sandbox.firstEver)} ms`, target: '–' },
  ];
}

function toTable(rows: readonly Row[]): string {
  return [
    '| work | measured | target |',
    '|---|---|---|',
    ...rows.map(({ work, figure, target }) => `| ${work} | ${figure} | ${target} |`),
  ].join('\n');
}

function document(table: string): string {
  const machine = `${cpus().length} virtual cores (${cpus()[0]?.model.trim()}), ${whole(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  return `# Performance

Made by \`npm run bench -- --write\`; nothing here is asserted in a test. Machine: ${machine}. Other work may have used
the same cores, so compare rows of one run with each other, and runs with runs of the same machine.

${table}

The rows of the disk and of the floor say what the machine itself allows: no durable answer can beat its own disk, and several
requests may share one sync.
`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function millis(nanoseconds: number): string {
  return (nanoseconds / 1e6).toFixed(2);
}

function micros(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(1);
}
