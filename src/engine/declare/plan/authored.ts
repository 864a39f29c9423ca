import type { CardRef } from '#contract/cards/reference.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { isObject, memberOf } from '../../values/kind.ts';

/** How a Card reference is written: with `uid`, and with or without `space`. */
export type WriteRef = (ref: JsonObject) => CardRef;

type Rewrite = (value: Json) => Json | undefined;

/** Members whose null is the same as absence (docs/spec/verification.md §1.2). */
const notNull: Rewrite = (value) => (value === null ? undefined : value);

function unless(...defaults: readonly Json[]): Rewrite {
  const texts = defaults.map((value) => JSON.stringify(value));
  return (value) => (texts.includes(JSON.stringify(value)) ? undefined : value);
}

/**
 * Rewrites the named members of an object, drops those that become undefined, keeps order and all others. Built from
 * own members only, so that a name like `__proto__` stays a name.
 */
function rewrite(value: Json, rules: Readonly<Record<string, Rewrite>>): Json {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const written = rule === undefined ? member : rule(member);
    return written === undefined ? [] : [[name, written] as const];
  });
  return Object.fromEntries(entries);
}

function target(write: WriteRef): (value: Json) => Json {
  return (value) => {
    if (!isObject(value)) return value;
    const sibling = memberOf(value, 'sibling');
    const ref = isObject(sibling) ? sibling : value;
    return Object.fromEntries(
      Object.entries(write(ref)).flatMap(([name, part]) => (part === undefined ? [] : [[name, part]])),
    );
  };
}

const isInline = (value: Json, name: string): boolean => isObject(value) && Object.hasOwn(value, name);

/** Inline bodies are rewritten inside, references are written out. */
function targetOr(write: WriteRef, mark: string, inline: (value: Json) => Json): (value: Json) => Json {
  return (value) => (isInline(value, mark) ? inline(value) : target(write)(value));
}

function prompt(value: Json): Json {
  return rewrite(value, { system: notNull, settings: notNull, response_format: responseFormat });
}

const responseFormat: Rewrite = (value) => {
  if (value === null) return undefined;
  if (!isObject(value) || memberOf(value, 'kind') !== 'verdict') return value;
  return (memberOf(value, 'data') ?? null) === null ? 'verdict' : value;
};

function agent(write: WriteRef): (value: Json) => Json {
  return (value) =>
    rewrite(value, {
      description: notNull,
      prompt: (inner) => (isInline(inner, 'model') ? prompt(inner) : target(write)(inner)),
      tool_names: unless([]),
      run_config: unless({}),
      verified_by: unless([]),
    });
}

function artifactFile(write: WriteRef): Rewrite {
  return (value) => rewrite(value, { artifact: (inner) => rewrite(inner, { card: target(write), path: notNull }) });
}

function workspace(write: WriteRef): Rewrite {
  return (value) => {
    if (!isObject(value) || Object.keys(value).length === 0) return undefined;
    return Object.fromEntries(
      Object.entries(value).map(([path, entry]) => [path, artifactFile(write)(entry) ?? entry]),
    );
  };
}

function call(write: WriteRef): Readonly<Record<string, Rewrite>> {
  return {
    agent: targetOr(write, 'prompt', agent(write)),
    inputs: unless({}),
    workspace: workspace(write),
    source: artifactFile(write),
    runtime: unless('python'),
    response_format: (value) => unless('verdict')(responseFormat(value) ?? 'verdict'),
    require_quote: unless(false),
    require_text: unless(false),
  };
}

/** A check as results show it: as authored, defaults dropped, references resolved (docs/spec/verification.md §13). */
export function writeCheck(check: Json, write: WriteRef): Json {
  return rewrite(check, {
    ...call(write),
    description: notNull,
    path: notNull,
    each: notNull,
    normalize: unless('none'),
    allow_empty: unless(false),
    select: unless('collapse'),
    signal: (value) => rewrite(value, { baseline_ref: target(write) }),
  });
}
