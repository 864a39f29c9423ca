import { type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from '../constructs/acknowledge.ts';
import type { HouseFunction, HouseFunctionProps } from '../constructs/house-function.ts';

/**
 * Subnets without any route out: no gateway of any kind, no endpoint, and a group that lets nothing leave. Results travel
 * through the platform's own invocation channel, which needs no network of ours.
 */
export function isolatedNetwork(scope: Construct): NonNullable<HouseFunctionProps['network']> {
  const network = new Vpc(scope, 'SandboxNetwork', {
    maxAzs: 2,
    natGateways: 0,
    createInternetGateway: false,
    subnetConfiguration: [{ name: 'isolated', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 }],
    // The default group is used by nobody; closing it would need a function of its own with rights on groups.
    restrictDefaultSecurityGroup: false,
  });
  acknowledge(network, {
    'AwsSolutions-VPC7': 'Nothing is listening in it and nothing can leave it, so that there is no traffic to log.',
  });
  const vpc = network as IVpc;
  const group = new SecurityGroup(scope, 'SandboxGroup', {
    vpc,
    allowAllOutbound: false,
    description: 'Lets nothing in and nothing out',
  });
  return { vpc, group, subnets: { subnetType: SubnetType.PRIVATE_ISOLATED } };
}

/** The platform attaches a function to subnets with the function's role; the code itself is denied the same calls. */
export function allowAttachment(sandbox: HouseFunction): void {
  const calls = [
    'ec2:CreateNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ];
  sandbox.allow(calls, ['*']);
  sandbox.role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: calls,
      resources: ['*'],
      conditions: { ArnLike: { 'lambda:SourceFunctionArn': `arn:*:lambda:*:*:function:*` } },
    }),
  );
}
