import { kmsSecretBox } from '#adapters/aws/secret-box.ts';
import { makeKms } from '#adapters/aws/signing/root-key.ts';
import { environmentNames } from '#contract/aws-names.ts';
import { awsOptions, variable } from './environment.ts';

/** Seals and opens secrets of connections. Imported by the functions that may, and by no other. */
export const secretBox = kmsSecretBox(makeKms(awsOptions()), variable(environmentNames.connectionsKey));
