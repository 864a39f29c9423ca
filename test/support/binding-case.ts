import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#contract/json.ts';
import { conversationDesk } from './conversation-desk.ts';
import { steadyCheck, windowSpec } from './declare-window.ts';
import { card, desk, sibling, toneSpec } from './embedded-host.ts';

/** One case of test/conformance/background/bindings.yaml; the README beside it says what each key means. */
export interface BindingCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly declare?: readonly Declared[];
    readonly verified_by?: readonly JsonObject[];
    /** Each is a declaration of its own. */
    readonly verified_by_each?: readonly JsonObject[];
    readonly components?: readonly { readonly alias: string; readonly ref: string }[];
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
    readonly refused?: { readonly code: string; readonly field?: string };
    readonly readable?: readonly string[];
  };
}

export interface Declared {
  readonly owner?: string;
  readonly operator?: string;
  readonly bindings?: readonly (JsonObject & { readonly at: string })[];
  readonly components?: BindingCase['given']['components'];
  /** Verifiers beside those that are bound. */
  readonly peers?: readonly string[];
}

export function allBindingCases(): readonly BindingCase[] {
  return parse(readFileSync('test/conformance/background/bindings.yaml', 'utf8')) as readonly BindingCase[];
}

/** Those that are refused are judged without a store (test/engine/declare), but for the one that must leave nothing behind. */
export function bindingCases(): readonly BindingCase[] {
  return allBindingCases().filter(({ expect }) => expect.refused === undefined || expect.readable !== undefined);
}

const conversation = conversationDesk();
const specOf = (name: string) =>
  conversation.find(({ metadata }) => (metadata as JsonObject).name === name)?.spec as JsonObject;

const verifiers: Readonly<Record<string, JsonObject>> = {
  tone: toneSpec,
  promise: toneSpec,
  steady: windowSpec({ steady: steadyCheck }),
  'turn-check': specOf('turn-check'),
  'conversation-check': specOf('conversation-check'),
};

const partsOf = (text: string) => {
  const [name = '', version = '1.0.0'] = text.split('@');
  return { name, version };
};

/** It posts to a path that is its version. */
export function operatorCard(text: string, origin = 'https://hooks.example.com'): JsonObject {
  const { name, version } = partsOf(text);
  return card('Operator', name, { kind: 'http', method: 'post', url: `${origin}/${version}` }, { version });
}

/** Cards of the desk that an owner in short form stands for; `origin`: where its Operators post to. */
export function ownerCards(declared: Declared, origin?: string): readonly JsonObject[] {
  const { owner = 'desk@1.0.0', bindings = [], peers = [] } = declared;
  const [prompt, agent] = desk();
  const named = new Map<string, JsonObject>();
  const toCard = (kind: string, text: string): JsonObject => {
    const { name, version } = partsOf(text);
    if (kind === 'Operator') return operatorCard(text, origin);
    if (kind === 'Trigger') return card(kind, name, { kind: 'schedule', cron: '0 0 * * *' }, { version });
    return card(kind, name, verifiers[name] ?? toneSpec, { version });
  };
  /** A reference in short form, or one that names another kind than its place asks for; everything else stands in line. */
  const refer = (value: Json | undefined, kind: string): Json => {
    const reference = typeof value === 'string' ? { kind, ...partsOf(value) } : (value as JsonObject);
    if (reference.name === undefined) return reference;
    const [own, text] = [String(reference.kind), `${reference.name}@${reference.version}`];
    if (own !== 'Agent') named.set(`${own} ${text}`, toCard(own, text));
    return sibling(own, String(reference.name), { version: String(reference.version) });
  };
  const entryOf = ({ at: _at, verifier, ...more }: JsonObject): JsonObject => ({
    ...more,
    verifier: refer(verifier, 'Verifier'),
    ...(more.runs_on !== undefined && { runs_on: refer(more.runs_on, 'Trigger') }),
    ...Object.fromEntries(
      ['on_failure', 'on_verdict_change'].flatMap((key) => {
        const list = more[key];
        return Array.isArray(list) ? [[key, list.map((one: Json) => refer(one, 'Operator'))]] : [];
      }),
    ),
  });
  const at = (place: string) => bindings.filter((binding) => binding.at === place).map(entryOf);
  const parts = declared.components ?? [
    { alias: 'agent', ref: 'desk-agent' },
    { alias: 'prompt', ref: 'desk-prompt' },
  ];
  const components = parts.map(({ alias, ref }) => {
    const { name } = partsOf(ref);
    const verified_by = at(alias);
    const one = { alias, ref: sibling(name === 'desk-agent' ? 'Agent' : 'Prompt', name) };
    return verified_by.length > 0 ? { ...one, verified_by } : one;
  });
  const own = at('$owner');
  for (const peer of peers) named.set(`Verifier ${peer}`, toCard('Verifier', peer));
  const { name, version } = partsOf(owner);
  const spec = { components, ...(own.length > 0 && { verified_by: own }) };
  return [prompt as JsonObject, agent as JsonObject, ...named.values(), card('Service', name, spec, { version })];
}

/** The declarations of a case that is refused; bindings without a place are those of the owner itself. */
export function refusedCards({ given }: BindingCase): readonly (readonly JsonObject[])[] {
  const peers = given.submissions?.filter((text) => !text.startsWith('desk'));
  const more = { ...(peers && { peers }), ...(given.components && { components: given.components }) };
  const ofOwner = (entries: readonly JsonObject[]) => entries.map((entry) => ({ ...entry, at: '$owner' }));
  if (given.declare) return given.declare.map((declared) => ownerCards({ ...declared, ...more }));
  const each = given.verified_by_each?.map((entry) => [entry]) ?? [given.verified_by ?? []];
  return each.map((entries) => ownerCards({ ...more, bindings: ofOwner(entries) }));
}
