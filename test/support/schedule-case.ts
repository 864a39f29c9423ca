import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '#contract/json.ts';

/** One case of test/conformance/background/schedules.yaml; the README beside it says what each key means. */
export interface ScheduleCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly trigger?: JsonObject & { readonly cron?: string; readonly tz?: string };
    readonly cron_each?: readonly string[];
    readonly from?: string;
    readonly count?: number;
    readonly start?: string;
    readonly until?: string;
    readonly active?: readonly [string, string];
    readonly down?: readonly [string, string];
    readonly ready_from?: string;
    readonly exchanges?: readonly string[];
    readonly schedulers?: number;
  };
  readonly expect: {
    readonly occurrences?: readonly string[];
    readonly valid?: boolean;
    readonly code?: string;
    readonly refused?: true | { readonly code: string };
    readonly admitted?: readonly {
      readonly at: string;
      readonly admitted_at?: string;
      readonly window?: readonly [string, string];
    }[];
    readonly skipped?: readonly { readonly at: string; readonly reason: string }[];
  };
}

export function scheduleCases(): readonly ScheduleCase[] {
  return parse(readFileSync('test/conformance/background/schedules.yaml', 'utf8')) as readonly ScheduleCase[];
}
