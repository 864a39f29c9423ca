import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionRequest } from '#service/ports/executions.ts';
import type { Retention } from '#service/ports/retention.ts';
import type { Database } from './database.ts';
import { evidencePath } from './evidence-files.ts';

/** Deleting in SQLite and in the folder of evidence. A file's time is that of its last use (evidence-files.ts). */
export function embeddedRetention(database: Database, evidence: string): Retention {
  return {
    dropExecutions(before, limit) {
      return database.write(() => {
        const lapsed = `rowid IN (SELECT rowid FROM executions
          WHERE created_at < ? AND status NOT IN ('pending', 'running', 'retrying') ORDER BY created_at LIMIT ?)`;
        const gone = `SELECT tenant, execution_id FROM executions WHERE ${lapsed}`;
        database.prepare(`DELETE FROM dispatches WHERE (tenant, execution_id) IN (${gone})`).run(before, limit);
        const { changes } = database.prepare(`DELETE FROM executions WHERE ${lapsed}`).run(before, limit);
        return Number(changes);
      });
    },
    dropRecorded(before, limit) {
      return database.write(() => {
        const lapsed = 'SELECT tenant, trace_id FROM traces WHERE newest_at < ? ORDER BY newest_at LIMIT ?';
        database.prepare(`DELETE FROM spans WHERE (tenant, trace_id) IN (${lapsed})`).run(before, limit);
        const { changes } = database
          .prepare(`DELETE FROM traces WHERE (tenant, trace_id) IN (${lapsed})`)
          .run(before, limit);
        return Math.max(Number(changes), dropObservations(database, before, limit));
      });
    },
    async dropEvidence(before, isKept) {
      let dropped = 0;
      for await (const file of filesOf(evidence)) {
        const { mtimeMs } = await stat(file.path);
        if (mtimeMs >= before || (await isKept(file.tenant, file.sha256))) continue;
        await rm(file.path, { force: true });
        dropped += 1;
      }
      return dropped;
    },
    forget(tenant, executionId) {
      return database.write(() => {
        const row = database
          .prepare(
            `SELECT request FROM executions
             WHERE tenant = ? AND execution_id = ? AND status NOT IN ('pending', 'running', 'retrying')`,
          )
          .get(tenant, executionId);
        if (!row) return false;
        const request = JSON.parse(String(row.request)) as ExecutionRequest;
        database
          .prepare('UPDATE executions SET result = NULL, request = ? WHERE tenant = ? AND execution_id = ?')
          .run(JSON.stringify({ ...request, inputs: {}, not_stored: [] }), tenant, executionId);
        return true;
      });
    },
    async forgetEvidence(tenant, sha256) {
      await rm(evidencePath(evidence, tenant, sha256), { force: true });
    },
  };
}

interface EvidenceFile {
  readonly tenant: string;
  readonly sha256: string;
  readonly path: string;
}

/** One folder at a time: there may be millions of files. */
async function* filesOf(folder: string): AsyncGenerator<EvidenceFile> {
  for (const tenant of await names(folder)) {
    const shelves = join(folder, tenant, 'sha256');
    for (const shelf of tenant === 'incoming' ? [] : await names(shelves)) {
      for (const sha256 of await names(join(shelves, shelf))) {
        yield { tenant, sha256, path: join(shelves, shelf, sha256) };
      }
    }
  }
}

async function names(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Rows stand in the order of their ingest, so the oldest are the first. Their batch may be sent again from then on. */
function dropObservations(database: Database, before: number, limit: number): number {
  database.prepare('DELETE FROM observation_batches WHERE ingested_at < ?').run(before);
  const { changes } = database
    .prepare(
      `DELETE FROM observations WHERE ingested_at < ? AND position IN
         (SELECT position FROM observations ORDER BY position LIMIT ?)`,
    )
    .run(before, limit);
  return Number(changes);
}
