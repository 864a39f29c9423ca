import { delegatedSigner } from '#adapters/aws/signer.ts';
import { kmsRootKey, makeKms } from '#adapters/aws/signing/root-key.ts';
import { environmentNames } from '#contract/aws-names.ts';
import { awsOptions, variable } from './environment.ts';
import { stores } from './host.ts';
import { clock } from './system.ts';

/** Signs with the root key of this deployment. Imported by the functions that may, and by no other. */
export const signer = delegatedSigner(
  kmsRootKey(makeKms(awsOptions()), variable(environmentNames.signingKey)),
  stores.publishedKeys,
  () => clock.now(),
);
