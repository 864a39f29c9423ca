import { isJsonObject } from '#contract/cards/shared.ts';
import { toMediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';

/**
 * A spec without the members that say what absence says (docs/spec/wire.md §4.1, §4.3; verification.md §1.2, §2–§5, §17),
 * so that two spellings of one declaration have one hash. Only the places of our own fields are looked at: an author's
 * data (`expected`, schemas, settings) is kept as it is.
 */
export function dropDefaults(kind: string, spec: JsonObject): JsonObject {
  const rule = rules[kind];
  const dropped = rule ? rule(spec) : spec;
  return isJsonObject(dropped) ? dropped : spec;
}

type Rule = (value: Json) => Json;
/** Whether a member's value says the same as its absence. */
type IsDefault = (value: Json) => boolean;

const isNull: IsDefault = (value) => value === null;
const is =
  (...words: readonly Json[]): IsDefault =>
  (value) =>
    words.includes(value);
const isEmptyList: IsDefault = (value) => Array.isArray(value) && value.length === 0;
const isEmptyMap: IsDefault = (value) => isJsonObject(value) && Object.keys(value).length === 0;

interface Fields {
  readonly defaults?: Readonly<Record<string, IsDefault>>;
  readonly inside?: Readonly<Record<string, Rule>>;
}

/** First the members inside, then the defaults: an inner default may leave an empty map behind. */
function object({ defaults = {}, inside = {} }: Fields): Rule {
  const [ruleOf, defaultOf] = [new Map(Object.entries(inside)), new Map(Object.entries(defaults))];
  return (value) => {
    if (!isJsonObject(value)) return value;
    const written = Object.entries(value).map(
      ([name, member]) => [name, ruleOf.get(name)?.(member) ?? member] as const,
    );
    return Object.fromEntries(written.filter(([name, member]) => !defaultOf.get(name)?.(member)));
  };
}

function each(rule: Rule): Rule {
  return (value) => (Array.isArray(value) ? value.map((item: Json) => rule(item)) : value);
}

function everyMember(rule: Rule): Rule {
  return (value) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rule(member)]))
      : value;
}

/** A format is written by its own name, whatever it was called (docs/spec/verification.md §3.1). */
const formatName: Rule = (value) => (typeof value === 'string' ? (toMediaFormat(value) ?? value) : value);

const slot = object({
  defaults: { required: is(true), schema: isNull, max_bytes: isNull },
  inside: { formats: each(formatName) },
});

const condition = object({ defaults: { expected: isNull, normalize: is('none') } });

const prompt = object({ defaults: { system: isNull, settings: isNull, response_format: isNull } });

const agent = object({
  defaults: {
    description: isNull,
    tool_names: isEmptyList,
    run_config: isEmptyMap,
    verified_by: isEmptyList,
  },
  inside: { prompt, verified_by: each(bindingRule) },
});

const artifactFile = object({
  inside: { artifact: object({ defaults: { path: isNull } }) },
});

/** Actions and checks of every kind: a member stands for one thing wherever it occurs. */
const call = object({
  defaults: {
    path: isNull,
    each: isNull,
    expected: isNull,
    inputs: isEmptyMap,
    workspace: isEmptyMap,
    runtime: is('python'),
    response_format: is('verdict'),
    description: isNull,
    normalize: is('none'),
    allow_empty: is(false),
    min_items: is(1),
    select: is('collapse'),
    require_quote: is(false),
    require_text: is(false),
  },
  inside: { agent, workspace: everyMember(artifactFile), source: artifactFile, response_format: responseFormat },
});

const requirement = object({ defaults: { severity: is('required') }, inside: { check: call } });

const step = object({
  defaults: {
    depends_on: isEmptyList,
    when: isNull,
    requirements: isEmptyList,
    timeout_seconds: isNull,
    retries: is(0),
  },
  inside: { when: condition, action: call, requirements: each(requirement) },
});

const verifier = object({
  defaults: {
    description: isNull,
    inputs: isEmptyMap,
    steps: isEmptyList,
    requirements: isEmptyList,
    decide: is('all'),
    context_capture: is('full', null),
    order_by: isNull,
  },
  inside: { inputs: everyMember(slot), steps: each(step), requirements: each(requirement) },
});

const service = object({
  defaults: { description: isNull, verified_by: isEmptyList, components: isEmptyList, tables: isEmptyList },
  inside: {
    verified_by: each(bindingRule),
    components: each(
      object({
        defaults: { description: isNull, verified_by: isEmptyList },
        inside: { verified_by: each(bindingRule) },
      }),
    ),
  },
});

const rules: Readonly<Record<string, Rule>> = { Verifier: verifier, Agent: agent, Prompt: prompt, Service: service };

function bindingRule(value: Json): Json {
  return object({ defaults: { on_failure: isEmptyList, on_verdict_change: isEmptyList } })(value);
}

/** `{kind: verdict}` without data is the word itself, which is the default. */
function responseFormat(value: Json): Json {
  if (!isJsonObject(value) || value.kind !== 'verdict') return value;
  return value.data === undefined || value.data === null ? 'verdict' : value;
}
