import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createExtract } from '#adapters/extract/extract.ts';

export interface DocumentFigures {
  readonly first_ms: number;
  readonly next_ms: number;
  readonly most_mebibytes: number;
}

/** The text of a PDF of 100 pages (ReportLab, 45 lines a page), in a process of its own, which holds nothing else. */
export async function benchDocument(): Promise<DocumentFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url)]);
  return JSON.parse(stdout);
}

async function measureHere(): Promise<DocumentFigures> {
  const bytes = await readFile(new URL('hundred-pages.pdf', import.meta.url));
  const extract = createExtract();
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const started = performance.now();
    const reply = await extract.extract({ format: 'pdf', bytes: new Uint8Array(bytes) }, new AbortController().signal);
    times.push(performance.now() - started);
    const pages = reply.kind === 'output' && Array.isArray(reply.output.pages) ? reply.output.pages.length : 0;
    if (pages !== 100) throw new Error(`read ${pages} pages`);
  }
  await extract.close();
  const [first_ms = 0, ...others] = times;
  const next_ms = others.toSorted((left, right) => left - right)[Math.floor(others.length / 2)] ?? 0;
  return { first_ms, next_ms, most_mebibytes: process.resourceUsage().maxRSS / 1024 };
}

if (import.meta.main) process.stdout.write(JSON.stringify(await measureHere()));
