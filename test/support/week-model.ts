/** A week as a simple model sees it: arithmetic on times, no store, no service. All times are milliseconds since the epoch. */

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** `minute` past each hour, or past one hour of the day. */
export interface ModelSchedule {
  readonly minute: number;
  readonly hour: number | null;
}

/** What happens to the process, in order and apart from each other. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

export interface ModelOccurrence {
  readonly at: number;
  readonly became: 'admitted' | 'missed' | 'skipped_inactive';
}

const settling = 5_000;
const newest = 15 * minute;

/** The first moment from then on at which the process runs. */
export function whenUp(at: number, outages: readonly Outage[]): number {
  return outages.find(({ from, to }) => at >= from && at < to)?.to ?? at;
}

function isActive(exchanges: readonly number[], at: number): boolean {
  return exchanges.some((exchanged) => exchanged <= at && at - exchanged < day);
}

function occurrenceAfter({ minute: past, hour: of }: ModelSchedule, at: number): number {
  const period = of === null ? hour : day;
  const offset = past * minute + (of ?? 0) * hour;
  return Math.floor((at - offset) / period + 1) * period + offset;
}

/** Docs/spec/background.md §4.3, §4.4: at each moment that it is looked at, only the newest that has passed may run. */
export function scheduleModel(
  schedule: ModelSchedule,
  {
    start,
    end,
    outages,
    exchanges,
  }: { start: number; end: number; outages: readonly Outage[]; exchanges: readonly number[] },
): readonly ModelOccurrence[] {
  const seen: ModelOccurrence[] = [];
  for (let waited = occurrenceAfter(schedule, start); ; ) {
    const looked = whenUp(waited + settling, outages);
    if (looked > end) return seen;
    while (occurrenceAfter(schedule, waited) + settling <= looked) {
      seen.push({ at: waited, became: 'missed' });
      waited = occurrenceAfter(schedule, waited);
    }
    const active = isActive(exchanges, looked) ? 'admitted' : 'skipped_inactive';
    seen.push({ at: waited, became: looked - waited > newest ? 'missed' : active });
    waited = occurrenceAfter(schedule, waited);
  }
}

export interface ModelEvidence {
  readonly at: number;
  readonly polite: boolean;
}

export interface ModelJudgment {
  readonly at: number;
  readonly status: 'completed' | 'errored';
  readonly verdict: 'passed' | 'failed' | null;
}

/** §5.5, §5.6: judged once it is quiet; what came before it is in it. */
export function groupModel(
  evidence: readonly ModelEvidence[],
  after: number,
  { end, outages, exchanges }: { end: number; outages: readonly Outage[]; exchanges: readonly number[] },
): readonly ModelJudgment[] {
  const judged: ModelJudgment[] = [];
  const waiting = [...evidence];
  let failed = false;
  while (waiting.length > 0) {
    let due = 0;
    let looked = 0;
    do {
      const next = waiting.shift() as ModelEvidence;
      failed ||= !next.polite;
      due = next.at + after;
      looked = whenUp(due, outages);
    } while ((waiting[0]?.at ?? Number.POSITIVE_INFINITY) <= looked);
    if (looked > end) return judged;
    const active = isActive(exchanges, looked);
    const verdict = failed ? 'failed' : 'passed';
    judged.push({ at: looked, status: active ? 'completed' : 'errored', verdict: active ? verdict : null });
  }
  return judged;
}
