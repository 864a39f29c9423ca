import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { acknowledge, wildcardFinding } from '../constructs/acknowledge.ts';
import { addAlarm, alarmPeriod } from '../constructs/alarms.ts';
import type { FunctionContext, HouseFunction } from '../constructs/house-function.ts';
import { deadLetterQueue } from '../constructs/house-queue.ts';
import { attemptDefinition } from '../machine/definition.ts';

export interface MachineFunctions {
  readonly advance: HouseFunction;
  readonly perform: HouseFunction;
  readonly settle: HouseFunction;
  readonly deliver: HouseFunction;
}

/** Name of the machine: known before it exists, so that it may be allowed to go on as another of itself. */
export function machineArn(stack: Stack, name: string): string {
  return stack.formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: machineName(name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

function childrenArn(stack: Stack, name: string): string {
  return stack.formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${machineName(name)}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

function machineName(name: string): string {
  return `${name}-attempt`;
}

export function attemptMachine(
  scope: Construct,
  context: FunctionContext,
  name: string,
  functions: MachineFunctions,
): StateMachine {
  const stack = Stack.of(scope);
  const logs = new LogGroup(scope, 'AttemptLogs', {
    // The prefix keeps the account's policy on log groups short (a known limit of vended logs).
    logGroupName: `/aws/vendedlogs/states/${machineName(name)}`,
    retention: context.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'AttemptRole', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
  const targets = [functions.advance, functions.perform, functions.settle, functions.deliver];
  role.addToPolicy(
    new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: targets.map(({ function: target }) => target.functionArn),
    }),
  );
  role.addToPolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: [machineArn(stack, name)] }));
  // Children of the distributed Map.
  role.addToPolicy(
    new PolicyStatement({
      actions: ['states:DescribeExecution', 'states:StopExecution'],
      resources: [childrenArn(stack, name)],
    }),
  );
  const machine = new StateMachine(scope, 'Attempt', {
    stateMachineName: machineName(name),
    stateMachineType: StateMachineType.STANDARD,
    definitionBody: DefinitionBody.fromString(JSON.stringify(attemptDefinition)),
    definitionSubstitutions: {
      Partition: stack.partition,
      AdvanceFunction: functions.advance.function.functionArn,
      PerformFunction: functions.perform.function.functionArn,
      SettleFunction: functions.settle.function.functionArn,
      DeliverFunction: functions.deliver.function.functionArn,
    },
    role,
    // References only travel through it; even so their content is left out of the log.
    logs: { destination: logs, level: LogLevel.ALL, includeExecutionData: false },
    tracingEnabled: true,
  });
  acknowledge(role, {
    [wildcardFinding(role, childrenArn(stack, name))]: 'Children are made at run time; their machine is named.',
    'AwsSolutions-IAM5[Resource::*]': 'Log deliveries and X-Ray have no resources to name.',
  });
  alarms(scope, context, machine);
  keepFailures(scope, context, machine);
  return machine;
}

/** Which machines gave up, ran out of time or were stopped by hand, by name: an alarm counts, this tells which. */
function keepFailures(scope: Construct, context: FunctionContext, machine: StateMachine): void {
  const deadLetters = deadLetterQueue(scope, 'AttemptDeadLetters', context, {
    errorImpact:
      'A background verification was stopped before its end; the queue names it, and the sweep brings it back.',
    entry: 'attempt-dead-letters',
  });
  new Rule(scope, 'FailedAttempts', {
    description: 'Attempts that did not come to their end',
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: { stateMachineArn: [machine.stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    },
    targets: [new SqsQueue(deadLetters)],
  });
}

function alarms(scope: Construct, context: FunctionContext, machine: StateMachine): void {
  addAlarm(scope, 'AttemptFailures', context, {
    metric: machine.metricFailed({ period: alarmPeriod, statistic: 'Sum' }),
    threshold: 1,
    errorImpact: 'A background verification stopped in the middle; the sweep brings it back when its lease lapses.',
    entry: 'attempt-failures',
  });
  addAlarm(scope, 'AttemptThrottles', context, {
    metric: machine.metricThrottled({ period: alarmPeriod, statistic: 'Sum' }),
    threshold: 10,
    errorImpact: 'Background verifications wait because the account is at its limit of state transitions.',
    entry: 'attempt-throttles',
  });
}
