import { parseDuration, type Trigger } from '#contract/cards/trigger.ts';
import { isTimeZone, parseCron } from '../cron.ts';

export interface TriggerProblem {
  readonly field: 'cron' | 'tz' | 'after';
  readonly message: string;
}

/** What keeps a Trigger from ever ringing (docs/spec/background.md §4.1, §4.2, §5.4). */
export function triggerProblem(trigger: Trigger): TriggerProblem | undefined {
  if (trigger.kind === 'group_end') {
    if (parseDuration(trigger.after) !== undefined) return undefined;
    return { field: 'after', message: 'expected <n>s, <n>m, <n>h or <n>d, one year at most' };
  }
  const cron = parseCron(trigger.cron);
  if (!cron.ok) return { field: 'cron', message: cron.message };
  const isKnown = trigger.tz === undefined || isTimeZone(trigger.tz);
  return isKnown ? undefined : { field: 'tz', message: 'not a known time zone' };
}
