import { makeWakingClients, wakingPorts } from '#adapters/aws/waking-ports.ts';
import { countMetric } from './count-metric.ts';
import { countStoreFailures } from './counted-stores.ts';
import { awsOptions } from './environment.ts';
import { environment, stores } from './host.ts';
import { clock } from './system.ts';

/** Starts work and sets alarms. Imported by the functions that may, and by no other. */
export const waking = countStoreFailures(
  wakingPorts(makeWakingClients(awsOptions()), environment, stores.background, () => clock.now()),
  countMetric,
);
