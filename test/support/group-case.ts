import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '#contract/json.ts';

/** One case of test/conformance/background/groups.yaml that runs; the README beside it says what each key means. */
export interface GroupCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly after: string;
    readonly slots?: Readonly<Record<string, string>>;
    readonly order_by?: string;
    readonly events?: readonly GroupEvent[];
    readonly verdicts?: readonly string[];
    readonly judge_takes?: string | readonly string[];
    readonly operators?: number;
    readonly members?: number;
    readonly until: string;
  };
  readonly expect: {
    readonly executions: readonly ExpectedJudgment[];
    readonly due?: string | null;
    readonly last_execution?: number;
  };
}

export interface GroupEvent {
  readonly at: string;
  readonly input?: Evidence;
  readonly verify?: Evidence;
  readonly result?: Evidence;
  readonly visible?: Evidence;
  readonly owner?: 'revoked' | 'suspended' | 'active';
  readonly store?: 'down' | 'up';
  readonly crash?: string;
  readonly restart?: boolean;
}

/** `id`, perhaps `group`, `tenant`, `verifier`, `key`; every other member is a slot or a requirement. */
export interface Evidence extends JsonObject {
  readonly id: string;
}

export interface ExpectedJudgment {
  readonly at?: string;
  readonly ends?: string;
  readonly status?: string;
  readonly slots?: Readonly<Record<string, readonly unknown[]>>;
  readonly ids?: readonly string[];
  readonly verdict?: string;
  readonly error?: { readonly code: string; readonly names?: readonly string[] };
  readonly dispatches?: number;
  readonly previous_verdict?: string;
  readonly group?: null;
  readonly result?: null;
}

interface AnyCase {
  readonly id: string;
  readonly title: string;
  readonly given: JsonObject;
  readonly expect: JsonObject;
}

const cases = parse(readFileSync('test/conformance/background/groups.yaml', 'utf8')) as readonly AnyCase[];

/** Those that run on a clock. */
export function groupCases(): readonly GroupCase[] {
  return cases.filter((one): one is AnyCase & GroupCase => one.given.until !== undefined);
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `+90s`, `5m`, `+1h`. */
export function millisecondsOf(text: string): number {
  const match = /^\+?(\d+)([smh])$/.exec(text);
  if (match === null) throw new Error(`not a time: ${text}`);
  return Number(match[1]) * (units[match[2] ?? ''] ?? Number.NaN);
}
