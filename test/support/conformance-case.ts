import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#contract/json.ts';

/** One case of test/conformance/verification; the README there says what each key means. */
export interface ConformanceCase {
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly assert?: {
      readonly operator: Json;
      readonly value?: Json;
      readonly expected?: Json;
      readonly absent?: true;
    };
    readonly reference?: string;
    readonly verifier?: JsonObject;
    readonly cards?: readonly GivenCard[];
    readonly files?: Readonly<Record<string, GivenCard>> | { readonly $same_as: string };
    readonly declare?: string;
    readonly evidence?: JsonObject;
    readonly script?: Script;
    readonly replies?: Readonly<Record<string, readonly Reply[]>>;
    readonly calls?: readonly JsonObject[];
    readonly mode?: 'verify' | 'submit';
  };
  readonly expect: Expectation;
}

export interface GivenCard {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly version: string; readonly space?: string };
  readonly spec: JsonObject;
}

export interface Script {
  readonly actions?: Readonly<Record<string, readonly ScriptedAnswer[]>>;
  readonly checks?: Readonly<Record<string, ScriptedAnswer | Json>>;
  readonly deadline_ms?: number;
}

export interface ScriptedAnswer {
  readonly output?: Json;
  readonly retryable?: string;
  readonly terminal?: string;
  readonly busy?: string;
  readonly hang?: true;
}

export interface Reply {
  readonly text?: string;
  readonly refusal?: string;
  readonly raw?: Json;
  readonly status?: number;
  readonly retry_after?: number;
  readonly hang?: true;
  readonly close?: true;
  readonly text_template?: 'data-string' | 'data-nested';
  readonly length?: number;
  readonly depth?: number;
}

export interface Expectation {
  readonly outcome?: string;
  readonly reason?: string;
  readonly accepted?: boolean;
  readonly canonical?: string;
  readonly valid?: true;
  readonly stages?: readonly (readonly string[])[];
  readonly refused?: { readonly code: string; readonly rule?: string; readonly path?: string; readonly field?: string };
  readonly verdict?: string;
  readonly requirements?: Readonly<Record<string, string | ExpectedRequirement>>;
  readonly steps?: Readonly<Record<string, string | ExpectedStep>>;
  readonly calls?: readonly string[];
  readonly order?: readonly string[];
  readonly step_order?: readonly string[];
  readonly trace_reads?: Readonly<Record<string, number>>;
  readonly judge_calls?: Readonly<Record<string, number>>;
  readonly prompt_contains?: Readonly<Record<string, readonly string[]>>;
  readonly prompt_lacks?: Readonly<Record<string, readonly string[]>>;
  readonly slot_enum?: Readonly<Record<string, readonly string[]>>;
  readonly reason_lacks?: readonly string[];
  readonly execution?: { readonly status?: string; readonly error?: string; readonly same_as?: string };
  readonly executions?: number;
}

export interface ExpectedRequirement {
  readonly outcome?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly actual?: Json;
  readonly citations?: number;
  readonly data?: Json;
}

export interface ExpectedStep {
  readonly status?: string;
  readonly attempts?: number;
  readonly reason?: string;
  readonly text?: string;
  readonly output?: Json;
  readonly attempt_log?: readonly string[];
  readonly warnings?: readonly string[];
}

const folder = new URL('../conformance/verification/', import.meta.url);

export function verificationCases(): readonly ConformanceCase[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  return files.flatMap((file) => {
    const cases = parse(readFileSync(new URL(file, folder), 'utf8'), { maxAliasCount: -1 }) as ConformanceCase[];
    return cases.map((one) => ({ ...one, file }));
  });
}
