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
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12, height: 6 });
  const ofEach = (title: string, metric: (target: HouseFunction) => IMetric) =>
    graph(title, Object.values(functions).map(metric));
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
        graph(
          'Time to answer',
          ['p50', 'p99'].map((statistic) => door.api.metricLatency({ statistic })),
        ),
      ],
      [
        ofEach('Errors of functions', ({ function: target }) => target.metricErrors()),
        ofEach('Throttles of functions', ({ function: target }) => target.metricThrottles()),
      ],
      [
        ofEach('Duration p99 of functions', ({ function: target }) => target.metricDuration({ statistic: 'p99' })),
        ofEach('Calls of functions', ({ function: target }) => target.metricInvocations()),
      ],
      [
        graph('Background attempts', [
          machine.metricStarted(),
          machine.metricSucceeded(),
          machine.metricFailed(),
          machine.metricThrottled(),
        ]),
        graph(
          'Waiting at the last sweep: overdue, due, to be stored, abandoned',
          [metrics.overdueExecutions, metrics.overdueRows, metrics.spooledResults, metrics.abandonedDeclarations].map(
            seen,
          ),
        ),
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
