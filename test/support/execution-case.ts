import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '#contract/json.ts';

/** One case of test/conformance/background/executions.yaml; the README beside it says what each key means. */
export interface ExecutionCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly submit?: JsonObject;
    readonly verify?: JsonObject;
    readonly engine?: readonly EngineStep[];
    readonly calls?: readonly Call[];
    readonly concurrent?: { readonly count: number; readonly submit: JsonObject; readonly key: string };
    readonly crash?: 'after-commit' | 'after-202' | 'in-settle';
    readonly restart?: string;
    readonly cancel?: string;
    readonly workers?: number;
    readonly unsettled?: number;
    readonly verifier?: 'window';
    readonly on_failure?: number;
    readonly replay?: JsonObject;
  };
  readonly expect: {
    readonly states?: readonly string[];
    readonly status?: string;
    readonly verdict?: string;
    readonly attempts?: number;
    readonly ended_at?: string;
    readonly error?: { readonly code: string } | null;
    readonly result?: null;
    readonly answers?: readonly ExpectedAnswer[];
    readonly executions?: number;
    readonly executions_of_key?: number;
    readonly ids?: 'one';
    readonly results_stored?: number;
    readonly dispatches?: number;
    readonly replay?: JsonObject;
  };
}

export interface ExpectedAnswer {
  readonly status: number;
  readonly id?: string;
  readonly code?: string;
  readonly slot?: string;
  readonly verdict?: string;
  readonly after?: string;
}

export interface EngineStep {
  readonly verdict?: string;
  readonly check_error?: string;
  readonly fail?: string;
  readonly takes?: string;
  readonly stalls?: string;
  readonly then?: { readonly verdict: string };
}

export interface Call {
  readonly submit?: JsonObject;
  readonly raw?: string;
  readonly key?: string | null;
  readonly at?: string;
  readonly drained?: boolean;
}

export function executionCases(): readonly ExecutionCase[] {
  return parse(readFileSync('test/conformance/background/executions.yaml', 'utf8')) as readonly ExecutionCase[];
}

/** `+10s`, `61s` */
export function msOf(duration: string): number {
  const seconds = /^\+?(\d+)s$/.exec(duration)?.[1];
  if (seconds === undefined) throw new Error(`not a duration: ${duration}`);
  return Number(seconds) * 1_000;
}
