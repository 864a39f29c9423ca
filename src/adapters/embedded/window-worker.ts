import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { WindowChunk, WindowTask } from './window-chunks.ts';
import { interruptibleRows, placeOf, recordsOf } from './window-rows.ts';

/** Rows and characters of one message. */
const most = { rows: 1_000, characters: 262_144 };

const { path, tenant, look } = workerData as WindowTask;
const sqlite = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
sqlite.exec('PRAGMA cache_size = -16000');
sqlite.exec('PRAGMA trusted_schema = OFF');
sqlite.function('goes_on', { directOnly: true }, () => 1);

const rows = sqlite.prepare(interruptibleRows).iterate(...placeOf(tenant, look));
const records = recordsOf(rows, look.features);

function nextChunk(): WindowChunk {
  const chunk = { ids: [] as string[], values: [] as WindowChunk['values'][number][], isLast: false };
  let characters = 0;
  while (chunk.ids.length < most.rows && characters < most.characters) {
    const { value: record, done } = records.next();
    if (done) return { ...chunk, isLast: true };
    chunk.ids.push(record.record_id);
    characters += record.record_id.length;
    for (const feature of look.features) {
      const value = record.values.get(feature);
      chunk.values.push(value);
      if (typeof value === 'string') characters += value.length;
    }
  }
  return chunk;
}

/** A chunk each time one is asked for, and one ahead. */
function send(): void {
  const chunk = nextChunk();
  parentPort?.postMessage(chunk);
  if (chunk.isLast) {
    sqlite.close();
    parentPort?.close();
  }
}

parentPort?.on('message', send);
send();
