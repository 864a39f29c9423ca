import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IVpc, SecurityGroup, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type BundleOptions, bundle } from '../bundle.ts';
import { acknowledge } from './acknowledge.ts';
import { type AlarmContext, addAlarm, alarmPeriod } from './alarms.ts';

/** What every function of a deployment shares. */
export interface FunctionContext extends AlarmContext {
  readonly logRetention: RetentionDays;
}

export interface HouseFunctionProps extends BundleOptions {
  /** What its failure means for the people who use the service, as one sentence; it becomes the alarm's text. */
  readonly errorImpact: string;
  /** Megabytes; processor time comes with them. */
  readonly memory: number;
  readonly timeout: Duration;
  readonly environment?: Readonly<Record<string, string>>;
  /** Concurrent calls reserved, and at most; unset shares the account. */
  readonly reservedConcurrency?: number | undefined;
  readonly network?: { readonly vpc: IVpc; readonly subnets: SubnetSelection; readonly group: SecurityGroup };
  /** Where calls that were started without waiting go when they fail for good. */
  readonly deadLetters?: IQueue;
  /** A name known before the function exists, so that it may be told of itself. */
  readonly functionName?: string;
  /** Segments of the caller's trace; off where the function may reach nothing at all. */
  readonly tracing?: boolean;
}

/** One deployed function with its own role, log group, trace and alarm. Whatever it may do is granted to `role` by name. */
export class HouseFunction extends Construct {
  readonly role: Role;
  readonly function: LambdaFunction;
  readonly script_bytes: number;

  constructor(scope: Construct, id: string, context: FunctionContext, props: HouseFunctionProps) {
    super(scope, id);
    const { folder, script_bytes } = bundle(props);
    this.script_bytes = script_bytes;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: context.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.function = new LambdaFunction(this, 'Function', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(folder),
      role: this.role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(props.functionName === undefined ? {} : { functionName: props.functionName }),
      memorySize: props.memory,
      timeout: props.timeout,
      tracing: props.tracing === false ? Tracing.DISABLED : Tracing.ACTIVE,
      environment: { ...props.environment },
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.deadLetters === undefined ? {} : { deadLetterQueue: props.deadLetters, retryAttempts: 2 }),
      ...(props.network === undefined
        ? {}
        : {
            vpc: props.network.vpc,
            vpcSubnets: props.network.subnets,
            securityGroups: [props.network.group],
          }),
    });
    addAlarm(this, 'Errors', context, {
      metric: this.function.metricErrors({ period: alarmPeriod, statistic: 'Sum' }),
      threshold: 1,
      errorImpact: props.errorImpact,
      entry: `function-${id.toLowerCase()}`,
    });
    if (props.tracing !== false) {
      acknowledge(this.role, {
        'AwsSolutions-IAM5[Resource::*]': 'X-Ray has no resources to name: segments are sent to *.',
      });
    }
  }

  /** Permission to do exactly this, by action and resource. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }

  setEnvironment(variables: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.function.addEnvironment(name, value);
  }
}
