import { sweepCallSchema } from '#contract/aws-functions.ts';
import { auditAll } from './compose/audit-all.ts';
import { identified } from './compose/call-ids.ts';
import { countMetric } from './compose/count-metric.ts';
import { stores } from './compose/host.ts';
import { ringPorts } from './compose/ring-ports.ts';
import { signer } from './compose/signer.ts';
import { sweepAll } from './compose/sweep-all.ts';

/** Once a minute whatever is overdue; once a night the audit of the records. */
export const handler = identified((event) =>
  sweepCallSchema.parse(event).audit
    ? auditAll(stores, countMetric)
    : sweepAll({ ...ringPorts(), signer }, countMetric),
);
