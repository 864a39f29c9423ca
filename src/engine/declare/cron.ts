/**
 * The cron dialect of docs/spec/background.md §4.2: five fields with `*`, lists, ranges, steps and names; 0 and 7 are
 * both Sunday. No seconds, no nicknames, no `L W # ?`. Only read here; occurrences are computed by the scheduler.
 */
export interface CronFields {
  /** Each a sorted list of the values that match. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  /** 1 is January. */
  readonly months: readonly number[];
  /** 0 is Sunday, 6 Saturday. */
  readonly weekdays: readonly number[];
  /** Both day fields are restricted, so a day matches when either does. */
  readonly eitherDay: boolean;
}

export type CronParse =
  | { readonly ok: true; readonly fields: CronFields }
  | { readonly ok: false; readonly message: string };

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const minute: Field = { name: 'minute', least: 0, most: 59, names: [] };
const hour: Field = { name: 'hour', least: 0, most: 23, names: [] };
const day: Field = { name: 'day of month', least: 1, most: 31, names: [] };
const month: Field = { name: 'month', least: 1, most: 12, names: monthNames };
const weekday: Field = { name: 'day of week', least: 0, most: 7, names: weekdayNames };

/** The most days a month can have, February in a leap year. */
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function parseCron(text: string): CronParse {
  const texts = text.length > 256 ? [] : text.trim().split(/[ \t]+/);
  const [minuteText = '', hourText = '', dayText = '', monthText = '', weekdayText = ''] = texts;
  if (texts.length !== 5) return { ok: false, message: 'expected five fields' };
  const minutes = parseField(minuteText, minute);
  const hours = parseField(hourText, hour);
  const days = parseField(dayText, day);
  const months = parseField(monthText, month);
  const weekdays = parseField(weekdayText, weekday);
  const fields = [minutes, hours, days, months, weekdays];
  const wrong = [minute, hour, day, month, weekday].find((_, position) => fields[position] === undefined);
  if (wrong !== undefined) return { ok: false, message: `the field ${wrong.name} cannot be read` };
  if (!minutes || !hours || !days || !months || !weekdays) return { ok: false, message: 'expected five fields' };
  const sundays = [...new Set(weekdays.map((value) => value % 7))].sort((left, right) => left - right);
  const eitherDay = !dayText.startsWith('*') && !weekdayText.startsWith('*');
  const occurs = eitherDay || months.some((value) => (days[0] ?? 32) <= (longest[value - 1] ?? 0));
  if (!occurs) return { ok: false, message: 'no such day in any of these months' };
  return { ok: true, fields: { minutes, hours, days, months, weekdays: sundays, eitherDay } };
}

function parseField(text: string, field: Field): readonly number[] | undefined {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const found = parseItem(item, field);
    if (found === undefined) return undefined;
    for (const value of found) values.add(value);
  }
  return [...values].sort((left, right) => left - right);
}

const itemPattern = /^(?:(\*)|([a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?)(?:\/(\d{1,2}))?$/;

function parseItem(item: string, field: Field): readonly number[] | undefined {
  const match = itemPattern.exec(item.toLowerCase());
  if (match === null) return undefined;
  const [, all, first = '', last, stepText] = match;
  const step = stepText === undefined ? 1 : Number(stepText);
  const from = all === undefined ? toValue(first, field) : field.least;
  const to =
    all !== undefined || (last === undefined && stepText !== undefined) ? field.most : toValue(last ?? first, field);
  if (from === undefined || to === undefined || from > to || step < 1) return undefined;
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function toValue(text: string, { least, most, names }: Field): number | undefined {
  const position = names.indexOf(text);
  const value = position === -1 ? Number(text) : position + (least === 1 ? 1 : 0);
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** An IANA zone that the runtime knows; offsets such as `+01:00` are none. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
