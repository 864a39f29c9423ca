import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type AwsPorts, awsPorts } from '#adapters/aws/aws-ports.ts';
import { type AwsClients, makeAwsClients } from '#adapters/aws/clients.ts';
import { systemClock } from '#adapters/embedded/system.ts';
import type { AwsEnvironment } from '#contract/aws-names.ts';
import type { Clock } from '#service/ports.ts';
import { checkRequests } from '#test/support/check-requests.ts';
import { makeResources } from '../../scripts/aws/make-resources.ts';

export interface AwsStore {
  readonly ports: AwsPorts;
  readonly clients: AwsClients;
  readonly environment: AwsEnvironment;
}

/** Clients of the local AWS. */
function emulatorClients(endpoint: string = inject('emulator')): AwsClients {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const clients = makeAwsClients({ endpoint, region: 'us-east-1', credentials });
  checkRequests(clients.dynamo);
  return clients;
}

/** Tables, buckets and the rest of its own, empty: stores of different tests share nothing but the emulator. */
export async function freshAwsStore(clock: Clock = systemClock): Promise<AwsStore> {
  const clients = emulatorClients();
  const { environment } = await makeResources(clients, `t${randomUUID().slice(0, 13)}`);
  return { ports: awsPorts(clients, environment, clock), clients, environment };
}

/** Another process on the same store: its own clients and memory, perhaps its own network and clock. */
export function anotherProcess(
  store: AwsStore,
  { endpoint = inject('emulator'), clock = systemClock }: { readonly endpoint?: string; readonly clock?: Clock } = {},
): AwsStore {
  const clients = emulatorClients(endpoint);
  return { ...store, clients, ports: awsPorts(clients, store.environment, clock) };
}
