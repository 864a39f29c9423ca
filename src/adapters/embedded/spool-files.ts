import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { drainEach } from '#service/ports/drain-each.ts';
import type { Execution, Spool } from '#service/ports/executions.ts';
import { makeFolder, writeFileDurably } from './durable-files.ts';

/** Results that the store refused, one file each, until a later `drain` brings them in. */
export async function spoolFiles(folder: string): Promise<Spool> {
  await makeFolder(folder);
  return {
    async put(tenant, execution) {
      await writeFileDurably(join(folder, `${execution.execution_id}.json`), JSON.stringify({ tenant, execution }));
    },
    async drain(store) {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
      return drainEach(names, async (name) => {
        const path = join(folder, name);
        const { tenant, execution } = JSON.parse(await readFile(path, 'utf8')) as {
          readonly tenant: string;
          readonly execution: Execution;
        };
        await store(tenant, execution);
        await rm(path);
      });
    },
  };
}
