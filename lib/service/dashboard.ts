import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { metrics } from '#contract/aws-names.ts';
import type { HouseFunction } from '../constructs/house-function.ts';
import type { FrontDoor } from './api.ts';
import type { Functions } from './functions.ts';

/** What an operator looks at first: the front door, then the functions, then the background work. */
export function addDashboard(
  scope: Construct,
  name: string,
  parts: { readonly door: FrontDoor; readonly functions: Functions; readonly machine: StateMachine },
): void {
  const { door, functions, machine } = parts;
  const each = (metric: (target: HouseFunction) => IMetric) => Object.values(functions).map(metric);
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12, height: 6 });
  /** Counted as they happen, or seen by each sweep. */
  const happened = (metricName: string) => new Metric({ namespace: metrics.namespace, metricName, statistic: 'Sum' });
  const seen = (metricName: string) => new Metric({ namespace: metrics.namespace, metricName, statistic: 'Maximum' });
  new Dashboard(scope, 'Dashboard', {
    dashboardName: name,
    widgets: [
      [
        graph('Calls and refusals', [
          door.api.metricCount(),
          door.api.metricClientError(),
          door.api.metricServerError(),
        ]),
        graph('Time to answer', [
          door.api.metricLatency({ statistic: 'p50' }),
          door.api.metricLatency({ statistic: 'p99' }),
        ]),
      ],
      [
        graph(
          'Errors of functions',
          each(({ function: target }) => target.metricErrors()),
        ),
        graph(
          'Throttles of functions',
          each(({ function: target }) => target.metricThrottles()),
        ),
      ],
      [
        graph(
          'Duration p99 of functions',
          each(({ function: target }) => target.metricDuration({ statistic: 'p99' })),
        ),
        graph(
          'Calls of functions',
          each(({ function: target }) => target.metricInvocations()),
        ),
      ],
      [
        graph('Background attempts', [
          machine.metricStarted(),
          machine.metricSucceeded(),
          machine.metricFailed(),
          machine.metricThrottled(),
        ]),
        graph('Waiting at the last sweep: overdue, to be stored, abandoned', [
          seen(metrics.overdueExecutions),
          seen(metrics.overdueRows),
          seen(metrics.spooledResults),
          seen(metrics.abandonedDeclarations),
        ]),
      ],
      [
        graph('Store calls given up, executions errored', [
          happened(metrics.storeFailures),
          happened(metrics.erroredExecutions),
        ]),
      ],
    ],
  });
}
