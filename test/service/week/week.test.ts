import { describe, expect, it } from 'vitest';
import { openEmbeddedStores } from '#test/support/open-stores.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { simulateWeek, type WeekPlan, type WeekSeen } from '#test/support/simulated-week.ts';
import {
  day,
  groupModel,
  hour,
  type ModelEvidence,
  minute,
  type Outage,
  scheduleModel,
  whenUp,
} from '#test/support/week-model.ts';

/**
 * A week with crashes, outages, clocks that are set back, lost starts, dead workers and two schedulers at once ends with
 * exactly the executions, verdicts and dispatches that a simple model predicts. One seed a run.
 */
const long = process.env.TOUCHSTONE_LONG === '1';
const seeds = long ? Array.from({ length: 10 }, (_none, index) => index + 1) : [1];
// A subject has at most a hundred bindings.
const size = long ? { schedules: 90, groups: 300 } : { schedules: 12, groups: 30 };

const start = Date.parse('2026-03-02T00:00:30Z');
const end = start + 7 * day;

function planOf(seed: number): WeekPlan {
  const random = seededRandom(seed);
  const whole = (below: number) => Math.floor(random() * below);
  const outages: Outage[] = [];
  for (let at = start + whole(12) * hour; at < end - day; at += whole(20) * hour + hour) {
    const to = at + [30_000, 4 * minute, 12 * minute, 50 * minute, 3 * hour][whole(5)]! + whole(50_000);
    outages.push({ from: at, to });
    at = to;
  }
  const exchanges = [start + 1_000];
  for (let at = start; at < end; ) {
    at += 14 * hour + whole(14 * 60) * minute + whole(60_000);
    exchanges.push(whenUp(at, outages));
  }
  const schedules = Array.from({ length: size.schedules }, (_none, index) => ({
    minute: whole(60),
    // Hourly ones are few: they are most of the executions of a week.
    hour: index % 4 === 0 ? null : whole(24),
  }));
  const groups = Array.from({ length: size.groups }, () => {
    const evidence: ModelEvidence[] = [];
    let at = start + whole(6 * 24) * hour + whole(60 * minute);
    for (let left = 1 + whole(5); left > 0; left -= 1) {
      evidence.push({ at: whenUp(at, outages), polite: random() < 0.8 });
      at += [2_000, 10 * minute, 19 * minute, 21 * minute, 3 * hour][whole(5)]! + whole(30_000);
    }
    return evidence.sort((one, other) => one.at - other.at);
  });
  const setbacks = Array.from({ length: 6 }, () => start + whole(6 * 24) * hour + whole(hour));
  return {
    start,
    end,
    schedules,
    groups,
    after_seconds: 20 * 60,
    outages,
    exchanges,
    measured: (schedule, at) => [null, 1, 5][(schedule * 31 + at / minute) % 3] ?? null,
    fate: (index) => (index % 7 === 0 ? 'start_is_lost' : index % 11 === 0 ? 'worker_dies' : 'runs'),
    setbacks: setbacks.filter((at) => whenUp(at, outages) === at),
  };
}

const verdicts = new Map([
  [null, 'inconclusive'],
  [1, 'passed'],
  [5, 'failed'],
]);

/** What came of each window: its end and verdict, and how many dispatches. */
function seenSchedules({ executions, bindings, dispatches }: WeekSeen) {
  return bindings.map((binding) =>
    executions
      .filter(({ binding_id }) => binding_id === binding)
      .map(({ execution_id, request, status, verdict }) => {
        return [Date.parse(request.window?.end ?? ''), status, verdict, dispatches.get(execution_id) ?? 0] as const;
      })
      .sort(([one], [other]) => one - other),
  );
}

function expectedSchedules(plan: WeekPlan) {
  return plan.schedules.map((schedule, index) =>
    scheduleModel(schedule, plan)
      .filter(({ became }) => became === 'admitted')
      .map(({ at }) => {
        const verdict = verdicts.get(plan.measured(index, at));
        return [at, 'completed', verdict, verdict === 'failed' ? 1 : 0] as const;
      }),
  );
}

function seenGroups({ executions, dispatches }: WeekSeen, groups: number) {
  return Array.from({ length: groups }, (_none, index) =>
    executions
      .filter(({ group_id }) => group_id === `talk-${index}`)
      .sort((one, other) => one.execution_id.localeCompare(other.execution_id))
      .map(({ execution_id, status, verdict }) => [status, verdict, dispatches.get(execution_id) ?? 0] as const),
  );
}

function expectedGroups(plan: WeekPlan) {
  return plan.groups.map((evidence) => {
    let previous: string | null = null;
    return groupModel(evidence, plan.after_seconds * 1_000, plan).map(({ status, verdict }) => {
      const changed = verdict !== null && previous !== null && verdict !== previous;
      previous = verdict ?? previous;
      return [status, verdict, changed ? 1 : 0] as const;
    });
  });
}

describe('a simulated week', () => {
  it.each(seeds)('of seed %i ends as the model says', { timeout: 600_000 }, async (seed) => {
    const plan = planOf(seed);
    const seen = await simulateWeek(plan, openEmbeddedStores);
    expect(seenSchedules(seen)).toEqual(expectedSchedules(plan));
    expect(seenGroups(seen, plan.groups.length)).toEqual(expectedGroups(plan));
    const notes = seen.occurrences.map((list) => list.map(({ at, status }) => [Date.parse(at), status]).reverse());
    const predicted = plan.schedules.map((schedule) =>
      scheduleModel(schedule, plan).map(({ at, became }) => [at, became]),
    );
    expect(notes).toEqual(predicted.map((list) => list.slice(-100)));
    expect(seen.dispatches.size).toBeGreaterThan(5);
  });

  it('has in it all that can happen', () => {
    const plans = seeds.map(planOf);
    const became = plans.flatMap((plan) => plan.schedules.flatMap((schedule) => scheduleModel(schedule, plan)));
    expect([...new Set(became.map((occurrence) => occurrence.became))].sort()).toEqual([
      'admitted',
      'missed',
      'skipped_inactive',
    ]);
    const judged = plans.flatMap((plan) => expectedGroups(plan).flat());
    expect(new Set(judged.map(([status, verdict]) => `${status} ${verdict}`)).size).toBe(3);
    expect(judged.some(([, , dispatches]) => dispatches > 0)).toBe(true);
  });
});
