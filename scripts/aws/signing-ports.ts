import type { KMSClient } from '@aws-sdk/client-kms';
import { type AwsPorts, awsPorts } from '#adapters/aws/aws-ports.ts';
import { type AwsClientOptions, type AwsClients, makeAwsClients } from '#adapters/aws/clients.ts';
import { kmsSecretBox } from '#adapters/aws/secret-box.ts';
import { delegatedSigner } from '#adapters/aws/signer.ts';
import { kmsRootKey, makeKms } from '#adapters/aws/signing/root-key.ts';
import { makeWakingClients, type WakingClients, wakingPorts } from '#adapters/aws/waking-ports.ts';
import { type AwsEnvironment, environmentNames } from '#contract/aws-names.ts';
import type { Clock } from '#service/ports.ts';

/** Clients of a function that signs and starts work. */
export interface SigningClients extends AwsClients, WakingClients {
  readonly kms: KMSClient;
}

export function makeSigningClients(options: AwsClientOptions): SigningClients {
  return { ...makeAwsClients(options), ...makeWakingClients(options), kms: makeKms(options) };
}

/** The ports as a function that signs composes them. */
export function signingPorts(clients: SigningClients, environment: AwsEnvironment, clock: Clock): AwsPorts {
  const ports = awsPorts(clients, environment, clock);
  const root = kmsRootKey(clients.kms, environment[environmentNames.signingKey]);
  const waking = wakingPorts(clients, environment, ports.background, () => clock.now());
  const connectionsKey = environment[environmentNames.connectionsKey];
  return {
    ...ports,
    ...waking,
    ...(connectionsKey === undefined ? {} : { secretBox: kmsSecretBox(clients.kms, connectionsKey) }),
    signer: delegatedSigner(root, ports.publishedKeys, () => clock.now()),
  };
}
