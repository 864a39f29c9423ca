import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '#adapters/embedded/database.ts';
import { migrations } from '#adapters/embedded/migrations.ts';
import { sqliteObservations } from '#adapters/embedded/observations.ts';
import { testObservations } from '#test/ports/observations.ts';

testObservations('embedded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'observations-'));
  const database = openDatabase(join(folder, 'store.db'), { migrations, exclusive: true });
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
  return { observations: sqliteObservations(database) };
});
