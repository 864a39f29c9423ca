import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { v7 } from 'uuid';
import { openStore } from '#local/open-store.ts';
import { look, tenant } from './window-check.ts';

export interface WindowFigures {
  readonly rows: number;
  readonly total_ms: number;
  /** The longest time for which nothing else of the process could run. */
  readonly longest_block_ms: number;
  /** The process's resident memory at its highest. */
  readonly most_mebibytes: number;
}

const reader = fileURLToPath(new URL('./read-window.ts', import.meta.url));
const start = Date.parse('2026-05-04T08:00:00Z');

/** One PSI check over a window of so many rows, whose times of creation are not the order of their ingest. */
export async function benchWindow(data: string, rows: number): Promise<WindowFigures> {
  const store = await openStore(data);
  try {
    for (let done = 0; done < rows; done += 1_000) {
      const observations = Array.from({ length: 1_000 }, (_none, index) => ({
        record_id: v7(),
        subject_card_uid: look.subject_card_uid,
        run_id: null,
        created_at: new Date(start + (((done + index) * 7_919) % rows)).toISOString(),
        features: new Map([['latency', ((done + index) * 7_919) % 10_000]]),
      }));
      await store.observations.append(tenant, { batch_id: v7(), sha256: '', observations }, start);
    }
  } finally {
    await store.close();
  }
  const { stdout } = await promisify(execFile)(process.execPath, [reader, data]);
  return JSON.parse(stdout);
}
