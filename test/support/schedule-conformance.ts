import { describe, expect, it } from 'vitest';
import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import { nextOccurrence } from '#service/schedules/occurrences.ts';
import { backgroundWorld, type OpenStores } from './background-world.ts';
import { declareWindow, steadyCheck } from './declare-window.ts';
import { runScheduleCase } from './run-schedule-case.ts';
import { type ScheduleCase, scheduleCases } from './schedule-case.ts';

/** The cases of schedules.yaml, on the stores of one host. */
export function scheduleConformance(name: string, open: OpenStores): void {
  describe(`conformance of schedules: ${name}`, () => {
    it('the cases are there', () => expect(scheduleCases().length).toBeGreaterThanOrEqual(19));

    for (const one of scheduleCases()) {
      it(`${one.id}: ${one.title}`, { timeout: 60_000 }, () => expectCase(one, open));
    }
  });
}

async function expectCase(one: ScheduleCase, open: OpenStores): Promise<void> {
  if (one.given.start !== undefined) return expectRun(one, open);
  if (one.given.from !== undefined) return expectOccurrences(one);
  const triggers = one.given.cron_each?.map((cron) => ({ kind: 'schedule', cron })) ?? [one.given.trigger ?? {}];
  for (const trigger of triggers) await expectRefused(one, trigger, open);
}

function expectOccurrences({ given, expect: expected }: ScheduleCase): void {
  const { trigger, from = '', count = 0 } = given;
  const schedule = { cron: trigger?.cron ?? '', ...(trigger?.tz === undefined ? {} : { tz: trigger.tz }) };
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < count; ) {
    at = nextOccurrence(schedule, at) ?? expect.fail('it occurs no more');
    found.push(new Date(at).toISOString().replace('.000Z', 'Z'));
  }
  expect(found).toEqual(expected.occurrences);
}

async function expectRefused(one: ScheduleCase, trigger: object, open: OpenStores): Promise<void> {
  const start = Date.parse('2026-03-01T10:00:00Z');
  const time = { now: start };
  await using opened = await open({ now: () => time.now, sleep: async () => {} });
  const world = backgroundWorld(start, opened.stores, time);
  const refusal = await declareWindow(world.ports(), { steady: steadyCheck }, trigger as JsonObject).then(
    () => expect.fail(`${JSON.stringify(trigger)} was accepted`),
    (error: unknown) => error,
  );
  if (!(refusal instanceof Problem)) throw refusal;
  const { refused, code } = one.expect;
  const wanted = code ?? (refused === true ? undefined : refused?.code);
  if (wanted !== undefined) expect(refusal.code, JSON.stringify(trigger)).toBe(wanted);
}

async function expectRun(one: ScheduleCase, open: OpenStores): Promise<void> {
  const { admitted, skipped } = await runScheduleCase(one, open);
  const instant = (text: string | undefined) => text?.replace('.000Z', 'Z');
  const expected = one.expect.admitted ?? [];
  expect(admitted.map(({ request }) => instant(request.window?.end))).toEqual(expected.map(({ at }) => at));
  for (const [index, { window, admitted_at }] of expected.entries()) {
    const execution = admitted[index];
    if (window) expect(instant(execution?.request.window?.start)).toBe(window[0]);
    if (admitted_at) expect(instant(execution?.created_at)).toBe(admitted_at);
  }
  if (one.expect.skipped) {
    expect(skipped.map(({ at, status }) => ({ at: instant(at), reason: status }))).toEqual(one.expect.skipped);
  }
}
