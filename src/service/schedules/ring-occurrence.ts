import { setAlarm } from '../alarms/set-alarms.ts';
import { type CompilePorts, compiledVerifier } from '../cards/compiled-verifiers.ts';
import { type ReadinessPorts, readinessOf } from '../drift/readiness.ts';
import type { Alarms } from '../ports/due.ts';
import type { Execution } from '../ports/executions.ts';
import type { BindingState } from '../ports/registry.ts';
import { type Occurrence, occurrencesKept, type Schedules, settlingMs } from '../ports/schedules.ts';
import type { Clock, Ids, Log } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { type ActivityPorts, isActive, ownerKeys } from '../verify/activity.ts';
import { nextOccurrence, previousOccurrence, type Schedule } from './occurrences.ts';
import { scheduleOf } from './schedule-of.ts';

export interface OccurrencePorts extends CompilePorts, ReadinessPorts, ActivityPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly schedules: Schedules;
  readonly alarms: Alarms;
}

/** An older occurrence is not caught up (docs/spec/background.md §4.4). */
const admittedWithinMs = 15 * 60_000;

/**
 * The occurrence that a binding waits for has come: admits one execution over its window, or notes why not, and waits for
 * the next (docs/spec/background.md §4.3–§4.7). Answers the execution it admitted. Does nothing when it is not due.
 */
export async function ringOccurrence(
  ports: OccurrencePorts,
  tenant: string,
  bindingId: string,
): Promise<Execution | null> {
  const [binding, waiting] = await Promise.all([
    ports.registry.binding(tenant, bindingId),
    ports.schedules.find(tenant, bindingId),
  ]);
  const schedule = binding && scheduleOf(binding);
  const now = ports.clock.now();
  if (!binding || !schedule || !waiting) return null;
  if (waiting.next_at > now - settlingMs) {
    await ring(ports, tenant, bindingId, waiting.next_at);
    return null;
  }
  const passed = passedOccurrences(schedule, waiting.next_at, now - settlingMs);
  const newest = passed.at(-1) ?? waiting.next_at;
  const status = await statusOf(ports, tenant, binding, newest, now);
  const execution = status === 'admitted' ? await newExecution(ports, tenant, binding, schedule, newest) : null;
  const occurrences = passed.map((at): Occurrence => {
    const became = at === newest ? status : 'missed';
    return { at: toRfc3339(at), status: became, execution_id: null, group_id: null };
  });
  const last = occurrences.pop();
  const to = binding.owner_status === 'deleted' ? null : nextOccurrence(schedule, newest);
  const moved = await ports.schedules.advance(tenant, bindingId, {
    from: waiting.next_at,
    to,
    occurrences: last ? [...occurrences, { ...last, execution_id: execution?.execution_id ?? null }] : occurrences,
    execution,
  });
  if (!moved) return null;
  if (to !== null) await ring(ports, tenant, bindingId, to);
  return execution;
}

async function ring(ports: OccurrencePorts, tenant: string, bindingId: string, at: number): Promise<void> {
  await setAlarm(ports, { tenant, kind: 'occurrence', id: bindingId, due_at: at + settlingMs });
}

/** From the one that is waited for to the newest that has passed; after a long outage only as many as are kept. */
function passedOccurrences(schedule: Schedule, from: number, until: number): readonly number[] {
  const passed: number[] = [];
  let at = previousOccurrence(schedule, until + 1);
  while (at !== null && at >= from && passed.length < occurrencesKept) {
    passed.unshift(at);
    at = previousOccurrence(schedule, at);
  }
  return passed;
}

async function statusOf(
  ports: OccurrencePorts,
  tenant: string,
  binding: BindingState,
  at: number,
  now: number,
): Promise<Occurrence['status']> {
  if (now - at > admittedWithinMs) return 'missed';
  if (!isActive(binding, now, await ownerKeys(ports, tenant))) return 'skipped_inactive';
  return (await readinessOf(ports, tenant, binding)) === 'ready' ? 'admitted' : 'skipped_unready';
}

async function newExecution(
  ports: OccurrencePorts,
  tenant: string,
  binding: BindingState,
  schedule: Schedule,
  at: number,
): Promise<Execution> {
  const target = await compiledVerifier(ports, tenant, binding);
  const start = previousOccurrence(schedule, at) ?? at;
  return {
    execution_id: ports.ids.next(),
    status: 'pending',
    verdict: null,
    origin: 'schedule',
    verifier: target.verifier_ref,
    subject: target.subject_ref,
    binding_id: binding.binding_id,
    owner_card_uid: binding.owner_uid,
    group_id: null,
    run_id: null,
    principal: binding.owner_uid,
    error: null,
    created_at: toRfc3339(ports.clock.now()),
    ended_at: null,
    request: {
      inputs: {},
      not_stored: [],
      route_overrides: {},
      deployment_environment: null,
      window: { start: toRfc3339(start), end: toRfc3339(at) },
    },
    result: null,
    record: null,
  };
}
