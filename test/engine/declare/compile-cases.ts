import type { Json, JsonObject } from '#contract/json.ts';
import { type CompileInput, compile } from '#engine/declare/compile.ts';
import { lenientReferences } from './references.ts';

/** Specs of Verifiers, and what the compiler says of them. */

export type Options = Partial<Omit<CompileInput, 'spec'>>;

export function declare(spec: Json, options: Options = {}) {
  return compile({ api: 'wyrd/v1', dialect: 'flat', references: lenientReferences, ...options, spec });
}

export function refusals(spec: Json, options: Options = {}): readonly (readonly [string, string])[] {
  const compiled = declare(spec, options);
  const findings = compiled.ok ? [] : compiled.findings.filter(({ severity }) => severity === undefined);
  return findings.map(({ rule, path }) => [rule, path]);
}

export function firstCode(spec: Json, options: Options = {}): string | undefined {
  const compiled = declare(spec, options);
  return compiled.ok ? undefined : compiled.findings[0]?.code;
}

export function warnings(spec: Json): readonly string[] {
  const compiled = declare(spec);
  return compiled.ok ? compiled.warnings.map(({ rule }) => rule) : ['refused'];
}

export const code = (inputs: JsonObject = {}) => ({
  kind: 'code',
  entrypoint: 'run',
  source: { inline: 'def run(): pass' },
  inputs,
});
export const assert = (more: JsonObject) => ({ kind: 'assert', path: 'inputs.doc', operator: 'is_null', ...more });
export const requirement = (check: Json, id = 'r') => ({ id, statement: 's', check });
export const judge = (more: JsonObject = {}, prompt: JsonObject = {}) => ({
  kind: 'agent',
  agent: {
    prompt: {
      provider: 'openai',
      model: 'judge-1',
      messages: [{ role: 'user', content: 'Judge {{doc}}' }],
      response_format: 'verdict',
      ...prompt,
    },
    execution_route: { kind: 'native' },
  },
  inputs: { doc: 'inputs.doc' },
  ...more,
});
export const one = (check: Json, more: JsonObject = {}): JsonObject => ({
  inputs: { doc: { type: 'json' } },
  requirements: [requirement(check)],
  ...more,
});
export const R = 'requirements[0].check';
