import type { CardRef } from '#contract/cards/reference.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ResolvedCard } from '#engine/declare/compile.ts';
import { checkSubmission, type SubmittedCard } from '#engine/declare/submission/check-submission.ts';
import type { FindConnection } from '#engine/declare/submission/operator-rules.ts';
import { uidOf } from './references.ts';

/** The Cards that the short forms of test/conformance/background stand for, and Operators made for a case. */

const assertion = { kind: 'assert', path: 'inputs.answer', operator: 'is_not_null' };
const drift = {
  kind: 'drift',
  on: 'inputs.sample',
  method: 'Custom',
  signal: { kind: 'Metric', name: 'latency' },
  condition: { kind: 'Statistical' },
  profile: { kind: 'Custom', metric_name: 'latency', baseline_value: 1, alert_threshold: 1 },
};

function verifier(inputs: JsonObject, check: JsonObject, id = 'polite'): JsonObject {
  return { inputs, requirements: [{ id, statement: 's', check }] };
}

export const run = verifier({ answer: { type: 'json' }, turn: { type: 'json' } }, assertion);
export const window = verifier({ sample: { type: 'samples', features: ['latency'] } }, drift);
export const group = verifier(
  { turns: 'verifiers.turn-check.inputs.turn' },
  { kind: 'assert', each: 'inputs.turns', operator: 'is_string' },
);

const specs: Readonly<Record<string, JsonObject>> = {
  'Verifier/tone': run,
  'Verifier/promise': run,
  'Verifier/turn-check': run,
  'Verifier/steady': window,
  'Verifier/conversation-check': group,
  'Trigger/nightly': { kind: 'schedule', cron: '0 0 * * *' },
  'Operator/page': { kind: 'notify', channel: { kind: 'slack', connection: 'desk-slack', channel_id: 'C', text: 'x' } },
};

export type Specs = Readonly<Record<string, JsonObject>>;

function find(extra: Specs): (ref: CardRef) => ResolvedCard | undefined {
  return (ref) => {
    const { kind, name, version } = ref;
    const spec = { ...specs, ...extra }[`${kind}/${name}`] ?? (kind === 'Agent' || kind === 'Prompt' ? {} : undefined);
    if (spec === undefined) return undefined;
    const uid = uidOf({ kind, name: `${name}${version ?? ''}` });
    return { ref: { kind, name, ...(version === undefined ? {} : { version }), uid }, kind, spec };
  };
}

function expand(value: Json, kind: CardRef['kind']): Json {
  if (typeof value !== 'string') return value;
  const [name = '', version = '1.0.0'] = value.split('@');
  return { kind, name, version };
}

export function expandBinding(entry: JsonObject): JsonObject {
  const list = (name: string) => {
    const items = entry[name];
    return Array.isArray(items) ? { [name]: items.map((item: Json) => expand(item, 'Operator')) } : {};
  };
  const runsOn = entry.runs_on === undefined ? {} : { runs_on: expand(entry.runs_on, 'Trigger') };
  const known = { ...runsOn, ...list('on_failure'), ...list('on_verdict_change') };
  return { ...entry, verifier: expand(entry.verifier ?? '', 'Verifier'), ...known };
}

export function submit(cards: readonly SubmittedCard[], extra: Specs = {}, connections?: FindConnection) {
  return checkSubmission(cards, { card: find(extra) }, connections);
}

export function service(spec: JsonObject): SubmittedCard {
  return { ref: { kind: 'Service', name: 'desk', version: '1.0.0' }, spec };
}

export function operator(spec: Json): SubmittedCard {
  return { ref: { kind: 'Operator', name: 'page', version: '1.0.0' }, spec };
}

export function trigger(spec: Json): SubmittedCard {
  return { ref: { kind: 'Trigger', name: 'nightly', version: '1.0.0' }, spec };
}

export function component(alias: string, bindings: readonly JsonObject[]): JsonObject {
  const ref = { kind: 'Agent', name: 'desk-agent', version: '1.0.0' };
  return { alias, ref, verified_by: bindings.map(expandBinding) };
}
