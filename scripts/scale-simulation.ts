import { v7 } from 'uuid';
import { dueAttributes, openAttributes } from '#adapters/aws/executions/attempt-steps.ts';
import { toExecutionItem } from '#adapters/aws/executions/execution-item.ts';
import { idempotencyKey } from '#adapters/aws/keys.ts';
import type { Execution } from '#service/ports/executions.ts';

/**
 * Where the writes of busy seconds go, by the real key functions: the hottest partition key of the tables and of each index,
 * for one tenant and one binding at 1,000 executions a second, and for a thousand tenants. Prints JSON for docs/scale.md.
 */
const perSecond = 1_000;
const seconds = 20;
/** Writes a second that one partition takes. */
const partitionLimit = 1_000;

const direct = ['completed'] as const;
const background = ['pending', 'running', 'completed'] as const;

const loads = {
  direct_one_tenant: { tenants: 1, states: direct },
  background_one_tenant: { tenants: 1, states: background },
  background_thousand_tenants: { tenants: 1_000, states: background },
};

const report: Record<string, unknown> = {};
for (const [name, load] of Object.entries(loads)) report[name] = await simulate(load.tenants, load.states);
console.log(JSON.stringify({ executions_per_second: perSecond, seconds, loads: report }, null, 2));

type Writes = Map<string, Map<string, number>>;

async function simulate(tenants: number, states: readonly string[]): Promise<Record<string, unknown>> {
  const writes: Writes = new Map();
  const bindings = Array.from({ length: tenants }, () => [v7(), v7(), v7(), v7()] as const);
  for (let count = 0; count < perSecond * seconds; count += 1) {
    const tenant = `tenant-${count % tenants}`;
    await countExecution(writes, tenant, execution(bindings[count % tenants] ?? ['', '', '', '']), states);
  }
  return Object.fromEntries([...writes].map(([index, keys]) => [index, hottest(keys)]));
}

/** Every state is one write of the item, and of each list that shows states. */
async function countExecution(
  writes: Writes,
  tenant: string,
  made: Execution,
  states: readonly string[],
): Promise<void> {
  const item = await toExecutionItem({ pack: async () => ({}), unpack: async () => null }, tenant, made, {
    retentionDays: 400,
    now: Date.parse(made.created_at),
  });
  const lists = Object.entries(item).filter(([name]) => /^(list|verifier|subject|binding|group|run)_key$/.test(name));
  for (const status of states) {
    add(writes, 'table executions', String(item.pk));
    for (const [name, key] of lists)
      if (key !== undefined) add(writes, `index ${name.replace('_key', '')}`, String(key));
    if (states.length > 1) countOpen(writes, tenant, made, status);
  }
  if (states.length > 1) {
    const scope = { principal: 'p', method: 'POST', path: '/v1/verification/enqueue', key: made.execution_id };
    add(writes, 'table sessions (idempotency)', idempotencyKey(tenant, scope).pk);
  }
}

/** A row enters `open` once and leaves it once; in `due` each state is a key of its own, entered and left. */
function countOpen(writes: Writes, tenant: string, made: Execution, status: string): void {
  if (status === 'pending') add(writes, 'index open', String(openAttributes(tenant, made).open_key), 2);
  if (status !== 'completed')
    add(writes, 'index due', String(dueAttributes(tenant, made.execution_id, status, 0).due_key), 2);
}

function add(writes: Writes, index: string, key: string, count = 1): void {
  const keys = writes.get(index) ?? new Map<string, number>();
  writes.set(index, keys.set(key, (keys.get(key) ?? 0) + count));
}

function hottest(keys: ReadonlyMap<string, number>) {
  const most = Math.max(...keys.values()) / seconds;
  return {
    partition_keys: keys.size,
    hottest_writes_per_second: Math.round(most * 10) / 10,
    percent_of_a_partition: Math.round((most / partitionLimit) * 1_000) / 10,
    executions_per_second_until_hot: Math.floor((perSecond * partitionLimit) / most),
  };
}

function execution([verifier, subject, binding, owner]: readonly [string, string, string, string]): Execution {
  return {
    execution_id: v7(),
    status: 'pending',
    verdict: null,
    origin: 'enqueue',
    verifier: { kind: 'Verifier', name: 'tone', version: '1.0.0', uid: verifier },
    subject: { kind: 'Agent', name: 'desk-agent', version: '1.0.0', uid: subject },
    binding_id: binding,
    owner_card_uid: owner,
    group_id: 'one-group-of-all',
    run_id: 'one-run-of-all',
    principal: 'p',
    error: null,
    created_at: new Date().toISOString(),
    ended_at: null,
    request: { inputs: {}, not_stored: [], route_overrides: {}, deployment_environment: null },
    result: null,
    record: null,
  };
}
