import { CfnOutput, CustomResource, Stack, type StackProps } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { functionEnvironment } from '#contract/aws-functions.ts';
import { environmentNames, metrics } from '#contract/aws-names.ts';
import { addAlarm, alarmPeriod } from './constructs/alarms.ts';
import type { FunctionContext } from './constructs/house-function.ts';
import type { DataStack } from './data-stack.ts';
import { FrontDoor } from './service/api.ts';
import { addDashboard } from './service/dashboard.ts';
import { type Functions, makeFunctions } from './service/functions.ts';
import { attemptMachine, machineArn } from './service/machine.ts';
import { oneTimeSchedules, startFromStream, sweepSchedule } from './service/schedules.ts';
import type { Settings } from './settings.ts';

/** Everything that can be deleted and deployed again without losing anything: it keeps no data of its own. */
export class ServiceStack extends Stack {
  readonly functions: Functions;

  constructor(scope: Construct, id: string, settings: Settings, data: DataStack, props: StackProps) {
    super(scope, id, { ...props, description: 'Touchstone: the service' });
    const context = this.#context(settings);
    this.functions = makeFunctions({ scope: this, context, data, settings });
    const { api, verify, submit, settle, sweep, outbox, ring, deliver, keys } = this.functions;
    const machine = attemptMachine(this, context, settings.name, this.functions);
    for (const starter of [submit, sweep, outbox, ring]) {
      starter.setEnvironment({ [environmentNames.attemptMachine]: machineArn(this, settings.name) });
      starter.allow(['states:StartExecution'], [machineArn(this, settings.name)]);
    }
    const door = new FrontDoor(this, 'FrontDoor', context, settings, { api, verify, submit });
    for (const ringing of [ring, sweep]) {
      ringing.setEnvironment({ [functionEnvironment.deliver]: deliver.function.functionName });
      ringing.allow(['lambda:InvokeFunction'], [deliver.function.functionArn]);
    }
    sweepSchedule(this, context, settings, sweep);
    oneTimeSchedules(this, context, settings, [verify, submit, settle, sweep, ring, deliver]);
    startFromStream(this, context, data, outbox);
    this.#ownAlarms(context);
    addDashboard(this, settings.name, { door, functions: this.functions, machine });
    const firstKey = new CustomResource(this, 'FirstKey', {
      serviceToken: keys.function.functionArn,
      resourceType: 'Custom::FirstAdministratorKey',
      // Asked again when the tenant changes; a key that exists is never made again.
      properties: { tenant: settings.tenant },
    });
    firstKey.node.addDependency(keys.role);
    this.#outputs(door, data);
  }

  #context(settings: Settings): FunctionContext {
    const topic = new Topic(this, 'Alarms', { displayName: `${settings.name} alarms`, enforceSSL: true });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (settings.alarm_email !== undefined) topic.addSubscription(new EmailSubscription(settings.alarm_email));
    // Settings admit the days that this enumeration has, and its values are those days.
    const logRetention: RetentionDays = settings.log_retention_days;
    return { topic, runbook: settings.runbook, logRetention };
  }

  /** Alarms on what only the service itself can count. */
  #ownAlarms(context: FunctionContext): void {
    const own = (metricName: string, statistic: 'Maximum' | 'Sum' = 'Maximum') =>
      new Metric({ namespace: metrics.namespace, metricName, period: alarmPeriod, statistic });
    addAlarm(this, 'SpooledResults', context, {
      metric: own(metrics.spooledResults),
      threshold: 1,
      periods: 3,
      errorImpact: 'Results that callers already have are still not in the store and cannot be read or listed.',
      entry: 'spooled-results',
    });
    addAlarm(this, 'OverdueExecutions', context, {
      metric: own(metrics.overdueExecutions),
      threshold: 100,
      periods: 3,
      errorImpact: 'Background verifications are started late because starts are lost or capacity is missing.',
      entry: 'overdue-executions',
    });
    addAlarm(this, 'UnsignedRecords', context, {
      metric: own(metrics.unsignedRecords),
      threshold: 1,
      errorImpact: 'Records of results are not signed for more than five minutes, so nobody can check them.',
      entry: 'unsigned-records',
    });
    addAlarm(this, 'UnclosedLogs', context, {
      metric: own(metrics.unclosedLogs),
      threshold: 1,
      periods: 3,
      errorImpact: 'The log of records gets no checkpoints, so removals could go unseen until it does.',
      entry: 'unclosed-logs',
    });
    addAlarm(this, 'DifferingLogs', context, {
      metric: own(metrics.differingLogs),
      threshold: 1,
      errorImpact: 'Stored records and their signed log differ: something was lost, changed or left out.',
      entry: 'differing-logs',
    });
    addAlarm(this, 'StoreFailures', context, {
      metric: own(metrics.storeFailures, 'Sum'),
      threshold: 10,
      errorImpact:
        'A table or bucket refuses calls after all their retries: callers get 503 or wait for their results.',
      entry: 'store-failures',
    });
    addAlarm(this, 'OverdueRows', context, {
      metric: own(metrics.overdueRows),
      threshold: 1_000,
      periods: 3,
      errorImpact: 'Schedules, groups and deliveries are due faster than they are rung.',
      entry: 'overdue-rows',
    });
    // A baseline whose fit fails is due again after 15 minutes only: three times in an hour is again and again.
    addAlarm(this, 'FailedRows', context, {
      metric: own(metrics.failedRows),
      threshold: 1,
      periods: 12,
      breaching: 3,
      errorImpact: 'A schedule, group, delivery or baseline fails each time it is due, so its work is not done.',
      entry: 'failed-rows',
    });
    addAlarm(this, 'ErroredExecutions', context, {
      metric: own(metrics.erroredExecutions, 'Sum'),
      threshold: 1,
      errorImpact: 'Work that was accepted for background verification ended without a verdict after all its attempts.',
      entry: 'errored-executions',
    });
  }

  #outputs(door: FrontDoor, data: DataStack): void {
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    output('Endpoint', door.url, 'Base URL of the API');
    output('AdminKeySecret', data.adminKey.secretArn, 'Secret that holds the key of the first administrator');
    output('KeysUrl', `${door.url}/.well-known/touchstone/keys.json`, 'Public keys of the signatures on records');
    output('KeysFunction', this.functions.keys.function.functionName, 'Function that makes and revokes API keys');
  }
}
