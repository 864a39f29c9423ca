import { isJsonObject } from '#contract/cards/shared.ts';
import type { StoredBinding } from '../ports/registry.ts';
import type { Schedule } from './occurrences.ts';

/** The schedule that was frozen with a binding; null when it has none (docs/spec/background.md §3.3). */
export function scheduleOf({ frozen }: Pick<StoredBinding, 'frozen'>): Schedule | null {
  const schedule = frozen.schedule ?? null;
  if (!isJsonObject(schedule) || typeof schedule.cron !== 'string') return null;
  return { cron: schedule.cron, ...(typeof schedule.tz === 'string' ? { tz: schedule.tz } : {}) };
}
