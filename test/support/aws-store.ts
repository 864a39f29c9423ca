import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { AwsPorts } from '#adapters/aws/aws-ports.ts';
import { systemClock } from '#adapters/embedded/system.ts';
import type { AwsEnvironment } from '#contract/aws-names.ts';
import type { Clock } from '#service/ports.ts';
import { checkRequests } from '#test/support/check-requests.ts';
import { makeResources } from '../../scripts/aws/make-resources.ts';
import { makeSigningClients, type SigningClients, signingPorts } from '../../scripts/aws/signing-ports.ts';

export interface AwsStore {
  readonly ports: AwsPorts;
  readonly clients: SigningClients;
  readonly environment: AwsEnvironment;
}

/** Clients of the local AWS. */
function emulatorClients(endpoint: string = inject('emulator')): SigningClients {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const clients = makeSigningClients({ endpoint, region: 'us-east-1', credentials });
  checkRequests(clients.dynamo);
  return clients;
}

/** Tables, buckets and the rest of its own, empty: stores of different tests share nothing but the emulator. */
export async function freshAwsStore(clock: Clock = systemClock): Promise<AwsStore> {
  const clients = emulatorClients();
  const { environment } = await makeResources(clients, `t${randomUUID().slice(0, 13)}`);
  return { ports: signingPorts(clients, environment, clock), clients, environment };
}

/** Another process on the same store: its own clients and memory, perhaps its own network and clock. */
export function anotherProcess(
  store: AwsStore,
  { endpoint = inject('emulator'), clock = systemClock }: { readonly endpoint?: string; readonly clock?: Clock } = {},
): AwsStore {
  const clients = emulatorClients(endpoint);
  return { ...store, clients, ports: signingPorts(clients, store.environment, clock) };
}
