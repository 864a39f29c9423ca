import type { Claim, Postponed, Released, Settled } from '#service/ports/attempts.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { ConditionalUpdate } from '../dynamo/conditional-write.ts';
import { dueKey, dueOrder, dueShards, executionListKey, listShards, shardOf } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { isClaimable, isHeld, isLapsed, isOpen, openStates, statusName } from './attempt-conditions.ts';

/** One step of an execution: what it assigns, and the condition under which it may. */
export type Step = Omit<ConditionalUpdate, 'table' | 'key'>;

const names = { ...statusName, '#error': 'error' } as const;

/** The place in the due index: `due_at` is when a sweep must look, and decides; the two keys only find it. */
export function dueAttributes(tenant: string, id: string, status: string, at: number): Item {
  return { due_key: dueKey(status, shardOf(id, dueShards)), due_order: dueOrder(at, tenant, id), due_at: at };
}

/** What makes a new execution an open one: counted, and looked at by the sweep. */
export function openAttributes(tenant: string, execution: Execution): Item {
  const id = execution.execution_id;
  return {
    open_key: executionListKey(tenant, 'open', '', shardOf(id, listShards)),
    ...dueAttributes(tenant, id, 'pending', Date.parse(execution.created_at)),
  };
}

const setDue = 'due_key = :due_key, due_order = :due_order, due_at = :due_at';

function dueValues(tenant: string, id: string, status: string, at: number): Item {
  return Object.fromEntries(
    Object.entries(dueAttributes(tenant, id, status, at)).map(([name, value]) => [`:${name}`, value]),
  );
}

export function claimStep(tenant: string, id: string, claim: Claim): Step {
  return {
    set: `#status = :running, lease = :lease, ${setDue}`,
    add: 'attempts :one',
    condition: isClaimable,
    names: statusName,
    values: {
      ...openStates,
      ':lease': claim.lease,
      ':now': claim.now,
      ':one': 1,
      ...dueValues(tenant, id, 'running', claim.lease_until),
    },
  };
}

export function postponeStep(tenant: string, id: string, lease: string, retry: Postponed): Step {
  return {
    set: `#status = :retrying, #error = :error, ${setDue}`,
    remove: 'lease',
    add: 'attempts :change',
    condition: isHeld,
    names,
    values: {
      ':retrying': 'retrying',
      ':running': 'running',
      ':lease': lease,
      ':error': JSON.stringify(retry.error),
      // An attempt that was refused capacity is given back.
      ':change': retry.counts ? 0 : -1,
      ...dueValues(tenant, id, 'retrying', retry.not_before),
    },
  };
}

/** `packed` holds `result` and the attributes of the record; their texts may be in S3 already. */
export function settleStep(lease: string, settled: Settled, packed: Item): Step {
  const step = endWithoutLease(settled, packed);
  return { ...step, condition: isHeld, values: { ...step.values, ':running': 'running', ':lease': lease } };
}

export function cancelStep(at: string): Step {
  const error = { code: 'WYRD_SPEC_409_CONFLICT', message: 'the execution was cancelled' };
  const { remove, ...step } = endStep({ status: 'cancelled', verdict: null, error, ended_at: at }, {});
  // Whether it was running is told by the lease that stays; nobody can use it any more.
  return { ...step, remove: remove.join(', '), condition: isOpen, values: { ...step.values, ...openStates } };
}

export function releaseStep(tenant: string, id: string, release: Released): Step {
  const lapsed = { ':running': 'running', ':now': release.now };
  if (release.to === 'errored') {
    const { error, ended_at } = release;
    const step = endWithoutLease({ status: 'errored', verdict: null, error, ended_at }, {});
    return { ...step, condition: isLapsed, values: { ...step.values, ...lapsed } };
  }
  return {
    set: `#status = :retrying, ${setDue}`,
    remove: 'lease',
    condition: isLapsed,
    names: statusName,
    values: { ':retrying': 'retrying', ...lapsed, ...dueValues(tenant, id, 'retrying', release.not_before) },
  };
}

/** What makes an execution open. A record that waits for its signature keeps a place in the due index. */
const openNames = ['due_key', 'due_order', 'due_at', 'open_key'];

interface End extends Pick<Execution, 'verdict' | 'error'> {
  readonly status: Settled['status'] | 'cancelled';
  readonly ended_at: string;
}

function endWithoutLease(end: End, packed: Item) {
  const { remove, ...step } = endStep(end, packed);
  return { ...step, remove: [...remove, 'lease'].join(', ') };
}

/** Ends the work: out of the due and open indexes. What is null now is removed. */
function endStep(end: End, packed: Item) {
  const { result = null, record: text = null, ...record } = packed;
  const optional = {
    verdict: end.verdict,
    '#error': end.error === null ? null : JSON.stringify(end.error),
    '#result': result,
    '#record': text,
    ...record,
  };
  const present = Object.entries(optional).filter(([, value]) => value !== null);
  const absent = Object.entries(optional).filter(([, value]) => value === null);
  const placeholder = (name: string) => `:${name.replace('#', '')}`;
  return {
    set: ['#status = :status', 'ended_at = :ended_at', ...present.map(([n]) => `${n} = ${placeholder(n)}`)].join(', '),
    remove: [...openNames.filter((name) => !(name in record)), ...absent.map(([name]) => name)],
    names: { ...names, '#result': 'result', '#record': 'record' },
    values: {
      ':status': end.status,
      ':ended_at': end.ended_at,
      ...Object.fromEntries(present.map(([name, value]) => [placeholder(name), value])),
    },
  };
}
