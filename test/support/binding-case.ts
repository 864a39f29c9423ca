import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '#contract/json.ts';
import { steadyCheck, windowSpec } from './declare-window.ts';
import { card, desk, sibling, toneSpec } from './embedded-host.ts';

/** One case of test/conformance/background/bindings.yaml that needs a store; the README beside it says what each key means. */
export interface BindingCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly declare?: readonly Declared[];
    readonly verified_by?: readonly JsonObject[];
    readonly submissions?: readonly string[];
    readonly events?: readonly { readonly at: string; readonly exchange: string }[];
    readonly read_at?: readonly string[];
    readonly cases?: readonly { readonly method?: string; readonly baseline?: string; readonly verifier?: string }[];
    readonly fail_one?: boolean;
  };
  readonly expect: {
    readonly same_ids?: boolean;
    readonly outcome?: string;
    readonly binding_ids?: number;
    readonly status?: readonly JsonObject[];
    readonly readiness?: readonly string[];
    readonly dispatch_operator?: string;
    readonly refused?: { readonly code: string };
    readonly readable?: readonly string[];
  };
}

export interface Declared {
  readonly owner?: string;
  readonly operator?: string;
  readonly bindings?: readonly (JsonObject & { readonly at: string })[];
}

/** Those that are refused are judged without a store (test/engine/declare), but for the one that must leave nothing behind. */
export function bindingCases(): readonly BindingCase[] {
  const cases = parse(readFileSync('test/conformance/background/bindings.yaml', 'utf8')) as readonly BindingCase[];
  return cases.filter(({ expect }) => expect.refused === undefined || expect.readable !== undefined);
}

const verifiers: Readonly<Record<string, JsonObject>> = {
  tone: toneSpec,
  promise: toneSpec,
  steady: windowSpec({ steady: steadyCheck }),
};

const partsOf = (text: string) => {
  const [name = '', version = '1.0.0'] = text.split('@');
  return { name, version };
};

export function operatorCard(text: string): JsonObject {
  const { name, version } = partsOf(text);
  const spec = { kind: 'http', method: 'post', url: `https://hooks.example.com/${version}` };
  return card('Operator', name, spec, { version });
}

/** Cards of the desk that an owner in short form stands for. */
export function ownerCards({ owner = 'desk@1.0.0', bindings = [] }: Declared): readonly JsonObject[] {
  const [prompt, agent] = desk();
  const named = new Map<string, JsonObject>();
  const entryOf = ({ at: _at, verifier, on_failure, ...more }: JsonObject): JsonObject => {
    const { name, version } = partsOf(String(verifier));
    named.set(`${name}@${version}`, card('Verifier', name, verifiers[name] ?? toneSpec, { version }));
    const operators = Array.isArray(on_failure) ? on_failure.map(String) : [];
    for (const operator of operators) named.set(operator, operatorCard(operator));
    const told = operators.map((operator) =>
      sibling('Operator', partsOf(operator).name, { version: partsOf(operator).version }),
    );
    return { ...more, verifier: sibling('Verifier', name, { version }), ...(told.length > 0 && { on_failure: told }) };
  };
  const at = (place: string) => bindings.filter((binding) => binding.at === place).map(entryOf);
  const components = [
    { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by: at('agent') },
    { alias: 'prompt', ref: sibling('Prompt', 'desk-prompt'), verified_by: at('prompt') },
  ].map(({ verified_by, ...one }) => (verified_by.length > 0 ? { ...one, verified_by } : one));
  const own = at('$owner');
  const { name, version } = partsOf(owner);
  const spec = { components, ...(own.length > 0 && { verified_by: own }) };
  return [prompt as JsonObject, agent as JsonObject, ...named.values(), card('Service', name, spec, { version })];
}
