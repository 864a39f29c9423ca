import { metrics } from '#contract/aws-names.ts';
import { writeLine } from './write-line.ts';

export type MetricName = Exclude<(typeof metrics)[keyof typeof metrics], typeof metrics.namespace>;

/** Says that something was seen so many times. */
export type CountMetric = (name: MetricName, value: number) => void;

/**
 * A CloudWatch metric as a log line in the embedded metric format: the platform reads the number out of the log, so that a
 * call waits for nothing. No dimension: a tenant must not become one, and each would be a metric that costs.
 */
export const countMetric: CountMetric = (name, value) => {
  const directive = { Namespace: metrics.namespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] };
  writeLine({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] }, [name]: value });
};
