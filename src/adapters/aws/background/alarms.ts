import { createHash } from 'node:crypto';
import {
  ActionAfterCompletion,
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  FlexibleTimeWindowMode,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import type { Alarms, Due } from '#service/ports/due.ts';
import { groupOfDueId } from '#service/ports/groups.ts';
import { updateIf } from '../dynamo/conditional-write.ts';
import { groupKey } from '../keys.ts';
import { storeCall } from '../store-call.ts';
import type { BackgroundStore } from './background-store.ts';

/** Where one-time schedules are made, and what they wake. All are names or ARNs. */
export interface AlarmTarget {
  readonly group: string;
  readonly function: string;
  readonly role: string;
  readonly deadLetters: string;
}

/**
 * One-time schedules of EventBridge Scheduler, which go after they rang (docs/spec/background.md §10). Their precision is a
 * minute; the row decides.
 */
export function schedulerAlarms(
  scheduler: SchedulerClient,
  target: AlarmTarget,
  store: BackgroundStore,
  now: () => number,
): Alarms {
  return {
    async set(due) {
      if (due.kind === 'group' && !(await noteAlarm(store, due, now()))) return;
      await setSchedule(scheduler, scheduleOf(target, due, now()));
    },
  };
}

/**
 * A group that new evidence makes due later keeps the alarm it has, which sets itself again when it rings early: so
 * schedules are made once a quiet period, not once a piece of evidence. False: it has one that will still ring.
 */
async function noteAlarm({ dynamo, table }: BackgroundStore, due: Due, at: number): Promise<boolean> {
  const { binding_id, group_id } = groupOfDueId(due.id);
  const { done } = await updateIf(dynamo, {
    table,
    key: groupKey(due.tenant, binding_id, group_id),
    set: 'alarm_at = :due',
    condition: 'attribute_exists(pk) AND (attribute_not_exists(alarm_at) OR alarm_at <= :now)',
    values: { ':due': due.due_at, ':now': at },
  });
  return done;
}

async function setSchedule(scheduler: SchedulerClient, schedule: CreateScheduleCommandInput): Promise<void> {
  await storeCall('schedule', async () => {
    try {
      await scheduler.send(new CreateScheduleCommand(schedule));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      await scheduler.send(new UpdateScheduleCommand(schedule));
    }
  });
}

function scheduleOf(target: AlarmTarget, due: Due, now: number): CreateScheduleCommandInput {
  // Schedules that lie in the past never ring.
  const at = new Date(Math.max(due.due_at, now + 1_000) + 999).toISOString().slice(0, 19);
  return {
    Name: createHash('sha256').update(`${due.kind} ${due.tenant} ${due.id}`).digest('hex'),
    GroupName: target.group,
    ScheduleExpression: `at(${at})`,
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: FlexibleTimeWindowMode.OFF },
    ActionAfterCompletion: ActionAfterCompletion.DELETE,
    Target: {
      Arn: target.function,
      RoleArn: target.role,
      Input: JSON.stringify({ ring: due }),
      DeadLetterConfig: { Arn: target.deadLetters },
      RetryPolicy: { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 600 },
    },
  };
}
