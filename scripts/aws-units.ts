import { createHash } from 'node:crypto';
import { advance } from '#service/machine/advance.ts';
import { claimStep } from '#service/machine/claim-step.ts';
import { decideAndSettle } from '#service/machine/decide-and-settle.ts';
import { countUnits, noUnits, type Units } from './aws/count-units.ts';
import { startEmulator } from './aws/emulator.ts';
import { type InProcessHost, inProcessHost } from './aws/in-process-host.ts';
import { makeResources } from './aws/make-resources.ts';
import { makeSigningClients } from './aws/signing-ports.ts';
import { evidence, spec } from './bench/engine.ts';

/**
 * Measures what each journey asks of AWS, against the local one: requests, and units by the published rules. Prints JSON
 * that docs/cost.md is made of. Warm means: the process has seen the Cards and the token before.
 */
const emulator = await startEmulator();
try {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const clients = makeSigningClients({ endpoint: emulator.endpoint, region: 'us-east-1', credentials });
  const { environment } = await makeResources(clients, 'units');
  let units = noUnits();
  countUnits(clients, () => units);
  const journeys: Record<string, Units> = {};
  const measure = async <Result>(name: string, journey: () => Promise<Result>): Promise<Result> => {
    units = noUnits();
    const result = await journey();
    journeys[name] = units;
    units = noUnits();
    return result;
  };
  const result_bytes = await runJourneys(() => inProcessHost(clients, environment), measure);
  console.log(JSON.stringify({ result_bytes, journeys }, null, 2));
} finally {
  await emulator.stop();
}

type Measure = <Result>(name: string, journey: () => Promise<Result>) => Promise<Result>;

/** Answers how large the result of a verification was, in bytes. */
async function runJourneys(freshHost: () => InProcessHost, measure: Measure): Promise<number> {
  const host = freshHost();
  const token = await measure('token_exchange_with_key_creation', () => host.token());
  const request = await measure('declare_service_and_verifier', () => declare(host, token));
  const verify = (where: InProcessHost) => where.call('POST', '/v1/verification/execute', token, request);
  await measure('verify_cold', () => verify(freshHost()));
  await verify(host);
  const result = await measure('verify_warm', () => verify(host));
  await measure('evidence_plan_of_one_new_file', () => planFile(host, token));
  const submitted = await measure('submit', () => host.call('POST', '/v1/verification/enqueue', token, request));
  const id = String(submitted.execution_id);
  await measure('status_while_pending', () => host.call('GET', `/v1/verification/executions/${id}`, token));
  await measure('attempt_of_assertions_only', () => attempt(host, id));
  await measure('status_with_result', () => host.call('GET', `/v1/verification/executions/${id}`, token));
  await measure('list_of_fifty', () => host.call('GET', '/v1/verification/executions?limit=50', token));
  await measure('sweep_that_finds_nothing', async () => {
    const now = Date.now();
    await host.ports.attempts.overdue({ now, pendingBefore: now - 60_000, limit: 100 });
    await host.ports.dueRows.due({ now, limit: 1_000 });
  });
  return Buffer.byteLength(JSON.stringify(result));
}

async function declare(host: InProcessHost, token: string): Promise<object> {
  const card = (kind: string, name: string, cardSpec: object) => ({
    apiVersion: 'wyrd/v1',
    kind,
    metadata: { name, version: '1.0.0' },
    spec: cardSpec,
    artifacts: [],
  });
  const sibling = { kind: 'Verifier', name: 'ten-checks', version: '1.0.0' };
  const submissions = [
    card('Verifier', 'ten-checks', spec),
    card('Service', 'bench', { verified_by: [{ verifier: { sibling } }] }),
  ];
  const answer = await host.call('POST', '/v1/cards', token, { submissions });
  const outcomes = answer.outcomes as readonly { readonly card_ref: { readonly kind: string; readonly uid: string } }[];
  const uidOf = (kind: string) => outcomes.find(({ card_ref }) => card_ref.kind === kind)?.card_ref.uid;
  const inputs = { doc: { kind: 'json', value: evidence } };
  return { verifier_card_uid: uidOf('Verifier'), card_uid: uidOf('Service'), inputs };
}

function planFile(host: InProcessHost, token: string): Promise<unknown> {
  const sha256 = createHash('sha256').update('measured').digest('hex');
  return host.call('POST', '/v1/verification/evidence', token, { files: [{ sha256, size_bytes: 8 }] });
}

/** The state machine's steps in their order; a Verifier of assertions has no work between them. */
async function attempt(host: InProcessHost, execution_id: string): Promise<void> {
  const claimed = await claimStep(host.ports, { tenant: 'acme', execution_id, lease: 'measured' });
  if (claimed.next !== 'advance') throw new Error('nothing to claim');
  await advance(host.ports, claimed.place);
  await decideAndSettle(host.ports, claimed.place);
}
