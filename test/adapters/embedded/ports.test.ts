import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openStore, type Store } from '#local/open-store.ts';
import { testAttempts } from '#test/ports/attempts.ts';
import { testBaselines } from '#test/ports/baselines.ts';
import { testCheckpoints } from '#test/ports/checkpoints.ts';
import { testConnections } from '#test/ports/connections.ts';
import { testDispatches } from '#test/ports/dispatches.ts';
import { testDueRows } from '#test/ports/due-rows.ts';
import { testEvidence } from '#test/ports/evidence.ts';
import { testExecutions } from '#test/ports/executions.ts';
import { testGroups } from '#test/ports/groups.ts';
import { testKeyRaces } from '#test/ports/key-races.ts';
import { testApiKeys } from '#test/ports/keys.ts';
import { testRecords } from '#test/ports/records.ts';
import { testRegistry } from '#test/ports/registry.ts';
import { testRetention } from '#test/ports/retention.ts';
import { testSchedules } from '#test/ports/schedules.ts';
import { testSecretBox } from '#test/ports/secret-box.ts';
import { testSpans } from '#test/ports/spans.ts';
import { testSpool } from '#test/ports/spool.ts';
import { testUploads } from '#test/ports/uploads.ts';
import { testWorkResults } from '#test/ports/work-results.ts';

const opened: { readonly store: Store; readonly folder: string }[] = [];

async function freshStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-ports-'));
  const store = await openStore(folder);
  opened.push({ store, folder });
  return store;
}

afterAll(async () => {
  for (const { store, folder } of opened) {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});

testRegistry('embedded', freshStore);
testKeyRaces('embedded', freshStore);
testExecutions('embedded', async () => (await freshStore()).executions);
testEvidence('embedded', async () => (await freshStore()).evidence);
testApiKeys('embedded', async () => (await freshStore()).keys);
testUploads('embedded', async () => (await freshStore()).uploads);
testAttempts('embedded', freshStore);
testRecords('embedded', freshStore);
testRetention('embedded', freshStore);
testCheckpoints('embedded', freshStore);
testWorkResults('embedded', async () => (await freshStore()).workResults);
testSpans('embedded', freshStore);
testSpool('embedded', freshStore);
testConnections('embedded', async () => (await freshStore()).connections);
testSecretBox('embedded', async () => (await freshStore()).secretBox);
testDispatches('embedded', freshStore);
testBaselines('embedded', freshStore);
testGroups('embedded', freshStore);
testSchedules('embedded', freshStore);
testDueRows('embedded', freshStore);
