import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** What every alarm of a deployment shares. */
export interface AlarmContext {
  readonly topic: ITopic;
  /** Address of the runbook, without a fragment. */
  readonly runbook: string;
}

export interface HouseAlarmProps {
  readonly metric: IMetric;
  /** Rings at this value and above. */
  readonly threshold: number;
  /** Periods in a row; default 1. */
  readonly periods?: number;
  /** How many of these periods must reach the threshold; default all. */
  readonly breaching?: number;
  /** What its ringing means for the people who use the service, as one sentence. */
  readonly errorImpact: string;
  /** Heading of its entry in docs/runbook.md, as a fragment. */
  readonly entry: string;
}

/** An alarm whose description says who is hurt and where the runbook says what to do. */
export function addAlarm(scope: Construct, id: string, context: AlarmContext, props: HouseAlarmProps): Alarm {
  if (!/^[A-Z].{20,}\.$/.test(props.errorImpact)) throw new Error(`${id}: errorImpact must be a sentence`);
  const alarm = new Alarm(scope, id, {
    metric: props.metric,
    threshold: props.threshold,
    evaluationPeriods: props.periods ?? 1,
    ...(props.breaching !== undefined && { datapointsToAlarm: props.breaching }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // No call is no failure.
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `${props.errorImpact} Runbook: ${context.runbook}#${props.entry}`,
  });
  const notify = new SnsAction(context.topic);
  alarm.addAlarmAction(notify);
  alarm.addOkAction(notify);
  return alarm;
}

export const alarmPeriod = Duration.minutes(5);
