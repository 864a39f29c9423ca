import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { type AlarmContext, addAlarm, alarmPeriod } from './alarms.ts';

/** Where calls that failed for good wait for a person, at most 14 days; one waiting call rings. */
export function deadLetterQueue(
  scope: Construct,
  id: string,
  context: AlarmContext,
  props: { readonly errorImpact: string; readonly entry: string },
): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, { 'AwsSolutions-SQS3': 'It is itself where dead letters go.' });
  addAlarm(queue, 'Waiting', context, {
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: 'Maximum' }),
    threshold: 1,
    ...props,
  });
  return queue;
}
