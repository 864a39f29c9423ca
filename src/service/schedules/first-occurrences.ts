import type { StoredBinding } from '../ports/registry.ts';
import type { Schedule as StoredSchedule } from '../ports/schedules.ts';
import { scheduleOf } from './schedule-of.ts';

/** The first occurrence of each scheduled binding of a declaration, stored with it (docs/spec/background.md §4). */
export async function firstOccurrences(
  bindings: readonly StoredBinding[],
  now: number,
): Promise<readonly StoredSchedule[]> {
  const scheduled = bindings.filter((binding) => scheduleOf(binding) !== null);
  if (scheduled.length === 0) return [];
  // Time zones are loaded by the first declaration that needs them.
  const { nextOccurrence } = await import('./occurrences.ts');
  return scheduled.flatMap((binding) => {
    const schedule = scheduleOf(binding);
    const next_at = schedule && nextOccurrence(schedule, now);
    return next_at === null ? [] : [{ binding_id: binding.binding_id, next_at }];
  });
}
