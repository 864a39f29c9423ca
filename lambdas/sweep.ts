import { identified } from './compose/call-ids.ts';
import { countMetric } from './compose/count-metric.ts';
import { stores } from './compose/host.ts';
import { sweepAll } from './compose/sweep-all.ts';

/** Once a minute. */
export const handler = identified(() => sweepAll(stores, countMetric));
