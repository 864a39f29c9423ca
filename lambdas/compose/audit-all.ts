import { metrics } from '#contract/aws-names.ts';
import { type AuditPorts, auditLogs } from '#service/records/audit-log.ts';
import type { CountMetric } from './count-metric.ts';

/** Once a night: the store's records against their log (docs/spec/records.md §2). */
export async function auditAll(ports: AuditPorts, count: CountMetric): Promise<void> {
  count(metrics.differingLogs, await auditLogs(ports));
}
