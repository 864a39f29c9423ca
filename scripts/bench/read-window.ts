import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { countWindow } from '#service/drift/count-window.ts';
import { openStore } from '#local/open-store.ts';
import { check, look, tenant } from './window-check.ts';

/** Counts the window of a data folder, alone in a process, and writes its figures as JSON. */
const [data = ''] = process.argv.slice(2);
const store = await openStore(data);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
// It measures from its first tick on.
await sleep(50);
const from = performance.now();
const counted = await countWindow(store, tenant, { ...check, look }, AbortSignal.timeout(300_000));
const total_ms = performance.now() - from;
delay.disable();
await store.close();
const figures = {
  rows: counted.count,
  sha256: counted.rows_sha256,
  total_ms,
  longest_block_ms: delay.max / 1e6,
  most_mebibytes: process.resourceUsage().maxRSS / 1_024,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
