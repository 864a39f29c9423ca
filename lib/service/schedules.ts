import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Construct } from 'constructs';
import { environmentNames } from '#contract/aws-names.ts';
import { acknowledge, wildcardFinding } from '../constructs/acknowledge.ts';
import type { FunctionContext, HouseFunction } from '../constructs/house-function.ts';
import { deadLetterQueue } from '../constructs/house-queue.ts';
import type { DataStack } from '../data-stack.ts';
import type { Settings } from '../settings.ts';

/** The group that one-time schedules are made in, the one schedule that makes losing any of them harmless, and the nightly audit. */
export function sweepSchedule(
  scope: Construct,
  context: FunctionContext,
  settings: Settings,
  sweep: HouseFunction,
): ScheduleGroup {
  const group = new ScheduleGroup(scope, 'Schedules', {
    scheduleGroupName: settings.name,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const deadLetters = deadLetterQueue(scope, 'SweepDeadLetters', context, {
    errorImpact: 'A sweep could not be started, so lost background work waits for the next one.',
    entry: 'sweep-dead-letters',
  });
  const role = new Role(scope, 'SchedulerRole', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
  new Schedule(scope, 'EveryMinute', {
    scheduleGroup: group,
    description: 'Rings whatever is overdue',
    schedule: ScheduleExpression.rate(Duration.minutes(1)),
    target: new LambdaInvoke(sweep.function, {
      role,
      input: ScheduleTargetInput.fromObject({ sweep: true }),
      // The next one does the same work: a late one is of no use.
      retryAttempts: 1,
      maxEventAge: Duration.minutes(2),
      deadLetterQueue: deadLetters,
    }),
  });
  new Schedule(scope, 'EveryNight', {
    scheduleGroup: group,
    description: 'Compares records with their log',
    schedule: ScheduleExpression.cron({ minute: '30', hour: '3' }),
    target: new LambdaInvoke(sweep.function, {
      role,
      input: ScheduleTargetInput.fromObject({ audit: true }),
      retryAttempts: 3,
      maxEventAge: Duration.hours(6),
      deadLetterQueue: deadLetters,
    }),
  });
  const target = Stack.of(scope).getLogicalId(sweep.function.node.defaultChild as CfnFunction);
  acknowledge(role, {
    [`AwsSolutions-IAM5[Resource::<${target}.Arn>:*]`]: 'The function may be invoked by any of its versions.',
  });
  return group;
}

/**
 * Lets functions set one-time schedules in that group, and those wake `Ring` and nothing else (docs/spec/background.md
 * §10). A schedule that fails for good leaves its row due, and the sweep rings it.
 */
export function oneTimeSchedules(
  scope: Construct,
  context: FunctionContext,
  settings: Settings,
  setters: readonly HouseFunction[],
): void {
  const stack = Stack.of(scope);
  const deadLetters = deadLetterQueue(scope, 'AlarmDeadLetters', context, {
    errorImpact: 'An alarm could not ring what is due; the sweep rings it within two minutes.',
    entry: 'alarm-dead-letters',
  });
  const role = new Role(scope, 'AlarmRole', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
  // Formatted, not referred to: it is told of itself, since it sets its own next alarms.
  const ringArn = stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: ringName(settings),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [ringArn] }));
  role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }));
  const inGroup = stack.formatArn({ service: 'scheduler', resource: 'schedule', resourceName: `${settings.name}/*` });
  const target = stack.toJsonString({
    group: settings.name,
    function: ringArn,
    role: role.roleArn,
    deadLetters: deadLetters.queueArn,
  });
  for (const setter of setters) {
    setter.setEnvironment({ [environmentNames.alarmTarget]: target });
    setter.allow(['scheduler:CreateSchedule', 'scheduler:UpdateSchedule'], [inGroup]);
    setter.allow(['iam:PassRole'], [role.roleArn]);
    acknowledge(setter.role, {
      [wildcardFinding(setter, inGroup)]: 'Schedules are made at run time; their group is named.',
    });
  }
}

/** Name of the function that one-time schedules wake. */
export function ringName(settings: Settings): string {
  return `${settings.name}-ring`;
}

/** Starts what was admitted and whose start may have been lost, within seconds (docs/spec/background.md §11 row 3). */
export function startFromStream(
  scope: Construct,
  context: FunctionContext,
  data: DataStack,
  outbox: HouseFunction,
): void {
  const deadLetters = deadLetterQueue(scope, 'OutboxDeadLetters', context, {
    errorImpact: 'Changes of executions were not looked at; their starts were left to the sweep.',
    entry: 'outbox-dead-letters',
  });
  outbox.function.addEventSource(
    new DynamoEventSource(data.tables.executions as ITable, {
      startingPosition: StartingPosition.LATEST,
      batchSize: 100,
      // By then the start that came with the admission is mostly through, and this one changes nothing.
      maxBatchingWindow: Duration.seconds(5),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 5,
      maxRecordAge: Duration.minutes(10),
      onFailure: new SqsDlq(deadLetters),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { NewImage: { status: { S: FilterRule.isEqual('pending') } } },
        }),
      ],
    }),
  );
  acknowledge(outbox.role, { 'AwsSolutions-IAM5': 'Streams can only be listed all at once; reading names this one.' });
}
