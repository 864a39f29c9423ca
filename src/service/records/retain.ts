import { Problem } from '#contract/errors.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { Principal } from '../auth/principal.ts';
import type { Dispatches } from '../ports/dispatches.ts';
import type { Executions } from '../ports/executions.ts';
import type { Registry } from '../ports/registry.ts';
import type { Retention, RetentionRules } from '../ports/retention.ts';
import type { Clock, Log } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { readExecution, requireExecution } from '../verify/read-executions.ts';

export interface RetainPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly executions: Executions;
  readonly dispatches: Dispatches;
  readonly retention: Retention;
  readonly retention_rules: RetentionRules;
}

const dayMs = 24 * 3_600_000;
/** Executions of one transaction: a host that catches up keeps answering. */
const batch = 500;

/** Deletes what is older than its retention time; records and checkpoints stay (docs/spec/records.md §5). */
export async function expireOld(ports: Omit<RetainPorts, 'executions' | 'dispatches'>): Promise<void> {
  const { clock, retention, retention_rules: rules } = ports;
  if (rules.legal_hold) return;
  const before = clock.now() - rules.days * dayMs;
  let executions = 0;
  for (let dropped = batch; dropped === batch; executions += dropped) {
    dropped = await retention.dropExecutions(toRfc3339(before), batch);
    await clock.sleep(0);
  }
  let recorded = 0;
  for (let dropped = batch; dropped === batch; recorded += dropped) {
    dropped = await retention.dropRecorded(before, batch);
    await clock.sleep(0);
  }
  const artifacts = artifactDigests(ports.registry);
  const files = await retention.dropEvidence(before, async (tenant, sha256) => (await artifacts(tenant)).has(sha256));
  if (executions + recorded + files > 0) ports.log.info('expired', { executions, recorded, files });
}

/**
 * Deletes what one execution holds of a person: inputs, their files and the result (docs/spec/records.md §5). State and
 * record stay, and the record stays checkable but for what was deleted. Answers the state as JSON text.
 */
export async function eraseExecution(ports: RetainPorts, principal: Principal, executionId: string): Promise<string> {
  // Refuses unknown and hidden ids with the same answer as a read.
  await requireExecution(ports, principal, executionId);
  if (ports.retention_rules.legal_hold) {
    throw new Problem('WYRD_SPEC_409_CONFLICT', 'a legal hold stops every deletion');
  }
  const { tenant } = principal;
  const execution = await ports.executions.find(tenant, executionId);
  // Files first: when this is broken off, a second call still finds which ones they are.
  const artifacts = await artifactDigests(ports.registry)(tenant);
  for (const sha256 of Object.values(execution?.request.inputs ?? {}).flatMap(digestsOf)) {
    if (!artifacts.has(sha256)) await ports.retention.forgetEvidence(tenant, sha256);
  }
  if (!(await ports.retention.forget(tenant, executionId))) {
    throw new Problem('WYRD_SPEC_409_CONFLICT', 'the execution is not settled yet');
  }
  ports.log.info('erased', { tenant, execution_id: executionId, principal: principal.id });
  return readExecution(ports, principal, executionId);
}

function digestsOf(pinned: PinnedInput): readonly string[] {
  return pinned.kind === 'file' ? [pinned.sha256] : [];
}

/** Files of Cards are kept in the same place as evidence, and have no end. Looked up once a tenant. */
function artifactDigests(registry: Registry): (tenant: string) => Promise<ReadonlySet<string>> {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  return (tenant) => {
    const found = known.get(tenant) ?? readArtifactDigests(registry, tenant);
    known.set(tenant, found);
    return found;
  };
}

async function readArtifactDigests(registry: Registry, tenant: string): Promise<ReadonlySet<string>> {
  const digests = new Set<string>();
  for (let after: string | null = null; ; ) {
    const page = await registry.list(tenant, {}, { limit: 200, after });
    for (const { manifest } of page.items) {
      for (const { sha256 } of manifest) digests.add(Buffer.from(sha256, 'base64').toString('hex'));
    }
    if (page.next === null) return digests;
    after = page.next;
  }
}
