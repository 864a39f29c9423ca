import { Temporal } from 'temporal-polyfill';
import { type CronFields, parseCron } from '#engine/declare/cron.ts';

/** A cron expression of five fields in a time zone (docs/spec/background.md §4.2). */
export interface Schedule {
  readonly cron: string;
  /** IANA name; UTC when absent. */
  readonly tz?: string;
}

/** Nothing occurs less often than this, or it was refused at declaration (§4.1). */
const horizonDays = 5 * 366;

/**
 * The first occurrence strictly after `after`, in milliseconds since the epoch; null when there is none within five years.
 * A local time that a jump of the clock skips does not occur; a repeated one occurs at its first instant.
 */
export function nextOccurrence(schedule: Schedule, after: number): number | null {
  const parsed = parseCron(schedule.cron);
  if (!parsed.ok) return null;
  const zone = schedule.tz ?? 'UTC';
  const from = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(zone).toPlainDateTime();
  let date = from.toPlainDate();
  for (let day = 0; day < horizonDays; day += 1, date = date.add({ days: 1 })) {
    if (!isDay(parsed.fields, date)) continue;
    // Later local times are never earlier instants, so on the first day the times before this one are over.
    const found = firstOfDay(parsed.fields, date, zone, day === 0 ? from.hour * 60 + from.minute : -1, after);
    if (found !== null) return found;
  }
  return null;
}

/** The last occurrence strictly before `before`; null when there is none within five years. */
export function previousOccurrence(schedule: Schedule, before: number): number | null {
  // What looks far back only finds what is rare.
  for (const days of [0.0015, 0.05, 1, 8, 63, 400, horizonDays]) {
    let last: number | null = null;
    let next = nextOccurrence(schedule, before - days * dayMs);
    while (next !== null && next < before) {
      last = next;
      next = nextOccurrence(schedule, next);
    }
    if (last !== null) return last;
  }
  return null;
}

const dayMs = 86_400_000;

function isDay({ days, months, weekdays, eitherDay }: CronFields, date: Temporal.PlainDate): boolean {
  if (!months.includes(date.month)) return false;
  const isMonthDay = days.includes(date.day);
  const isWeekday = weekdays.includes(date.dayOfWeek % 7);
  return eitherDay ? isMonthDay || isWeekday : isMonthDay && isWeekday;
}

function firstOfDay(
  { hours, minutes }: CronFields,
  date: Temporal.PlainDate,
  zone: string,
  pastMinute: number,
  after: number,
): number | null {
  for (const hour of hours) {
    for (const minute of minutes) {
      if (hour * 60 + minute <= pastMinute) continue;
      const instant = toInstant(date.toPlainDateTime({ hour, minute }), zone);
      if (instant !== null && instant > after) return instant;
    }
  }
  return null;
}

/** Null: this zone's clock jumped over that time. */
function toInstant(local: Temporal.PlainDateTime, zone: string): number | null {
  const zoned = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  return zoned.toPlainDateTime().equals(local) ? zoned.epochMilliseconds : null;
}
