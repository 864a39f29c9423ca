import { testAttempts } from '#test/ports/attempts.ts';
import { testCheckpoints } from '#test/ports/checkpoints.ts';
import { testEvidence } from '#test/ports/evidence.ts';
import { testExecutions } from '#test/ports/executions.ts';
import { testKeyRaces } from '#test/ports/key-races.ts';
import { testApiKeys } from '#test/ports/keys.ts';
import { testRecords } from '#test/ports/records.ts';
import { testRegistry } from '#test/ports/registry.ts';
import { testRetention } from '#test/ports/retention.ts';
import { testSigner } from '#test/ports/signer.ts';
import { testUploads } from '#test/ports/uploads.ts';
import { testWorkResults } from '#test/ports/work-results.ts';
import { freshAwsStore } from '#test/support/aws-store.ts';

const freshPorts = async () => (await freshAwsStore()).ports;

testRegistry('AWS', freshPorts);
testKeyRaces('AWS', freshPorts);
testExecutions('AWS', async () => (await freshPorts()).executions);
testAttempts('AWS', freshPorts);
testRecords('AWS', freshPorts);
testRetention('AWS', freshPorts);
testCheckpoints('AWS', async (clock) => (await freshAwsStore(clock)).ports);
testSigner('AWS', async () => (await freshPorts()).signer);
testWorkResults('AWS', async () => (await freshPorts()).workResults);
testEvidence('AWS', async () => (await freshPorts()).evidence);
testApiKeys('AWS', async () => (await freshPorts()).keys);
testUploads('AWS', async () => (await freshPorts()).uploads);
