import { RemovalPolicy, type Stack, Tags } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Settings } from '../settings.ts';
import type { HouseFunction } from './house-function.ts';

/** Roles that carry this tag with the deployment's name may sign. */
const signerTag = 'touchstone-signs';

/**
 * Root key of the signatures on records: P-256, never leaves KMS. A deployment with a higher number has a key more and
 * signs with it; the ones before stay in the account until their owner schedules their deletion.
 */
export function signingKey(stack: Stack, settings: Pick<Settings, 'name' | 'signing_key'>): Key {
  const keys = Array.from({ length: settings.signing_key }, (_unused, index) => {
    const key = new Key(stack, index === 0 ? 'SigningKey' : `SigningKey${index + 1}`, {
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      description: 'Root of the signatures on records',
      removalPolicy: RemovalPolicy.RETAIN,
    });
    key.addToResourcePolicy(onlySigners(settings.name));
    // The service may still be deployed with an earlier one while this stack changes.
    stack.exportValue(key.keyArn);
    return key;
  });
  const newest = keys.at(-1);
  if (newest === undefined) throw new Error('there is no signing key of number 0');
  return newest;
}

/** Whatever a role of the account may do elsewhere, it does not sign here without the tag. */
function onlySigners(name: string): PolicyStatement {
  return new PolicyStatement({
    sid: 'OnlySigningFunctions',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['kms:Sign'],
    resources: ['*'],
    conditions: { StringNotEquals: { [`aws:PrincipalTag/${signerTag}`]: name } },
  });
}

/** Lets a function sign with the root key of this deployment: the permission, and the tag that the key asks for. */
export function allowSigning(
  target: HouseFunction,
  data: { readonly signingKey: Key },
  { name }: Pick<Settings, 'name'>,
): void {
  Tags.of(target.role).add(signerTag, name);
  target.allow(['kms:Sign', 'kms:GetPublicKey'], [data.signingKey.keyArn]);
}
