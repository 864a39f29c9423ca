import { FlowLogDestination, type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { RemovalPolicy } from 'aws-cdk-lib';
import type { FunctionContext, HouseFunction, HouseFunctionProps } from '../constructs/house-function.ts';

/**
 * Subnets without any route out: no gateway of any kind, no endpoint, and a group that lets nothing leave. Results travel
 * through the platform's own invocation channel, which needs no network of ours.
 */
export function isolatedNetwork(
  scope: Construct,
  context: FunctionContext,
): NonNullable<HouseFunctionProps['network']> {
  const network = new Vpc(scope, 'SandboxNetwork', {
    maxAzs: 2,
    natGateways: 0,
    createInternetGateway: false,
    subnetConfiguration: [{ name: 'isolated', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 }],
    // The default group is used by nobody; closing it would need a function of its own with rights on groups.
    restrictDefaultSecurityGroup: false,
  });
  network.addFlowLog('Refused', {
    destination: FlowLogDestination.toCloudWatchLogs(
      new LogGroup(scope, 'SandboxNetworkLogs', {
        retention: context.logRetention,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    ),
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
