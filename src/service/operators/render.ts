import type { Json, JsonObject } from '#contract/json.ts';
import { parseTemplate } from '#engine/declare/template.ts';
import type { DispatchContext } from '../ports/dispatches.ts';

/** A template that cannot be rendered: a field without a value, or more text than is sent. */
const renderFailureName = 'RenderFailure';

export function renderFailure(message: string): Error {
  const failure = new Error(message);
  failure.name = renderFailureName;
  return failure;
}

export function isRenderFailure(error: unknown): error is Error {
  return error instanceof Error && error.name === renderFailureName;
}

/** Characters of one rendered text. */
const maxText = 65_536;
/** Characters of all texts of a body. */
const maxBody = 524_288;
/** Characters of a URL. */
const maxUrl = 8_192;

/** One pass over the template; what is put in is never looked at again (docs/spec/background.md §7.2). */
export function renderText(template: string, context: DispatchContext): string {
  return render(template, context, (value) => value, maxText);
}

/** Percent-encodes what is put in. A value that would climb to another folder of the path is refused. */
export function renderUrl(template: string, context: DispatchContext): string {
  const url = render(template, context, (value) => encodeURIComponent(value.toWellFormed()), maxUrl);
  const still = render(template, context, () => 'x', maxUrl);
  if (dotSegments(url) > dotSegments(still)) throw renderFailure('a value that is a dot segment of the path');
  return url;
}

function dotSegments(url: string): number {
  const [path = ''] = url.split('?', 1);
  return path.split('/').filter((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)).length;
}

/** Every text of a body; names of members are no templates. Its depth was bounded when it was declared. */
export function renderBody(body: Json, context: DispatchContext): Json {
  let left = maxBody;
  const walk = (value: Json): Json => {
    if (typeof value === 'string') {
      const text = renderText(value, context);
      left -= text.length;
      if (left < 0) throw renderFailure('a body that is too large');
      return text;
    }
    if (Array.isArray(value)) return (value as readonly Json[]).map(walk);
    if (typeof value !== 'object' || value === null) return value;
    // `fromEntries` defines members: a name such as `__proto__` is a member like any other.
    return Object.fromEntries(Object.entries(value as JsonObject).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(body);
}

function render(template: string, context: DispatchContext, encode: (value: string) => string, limit: number): string {
  const parsed = parseTemplate(template);
  if (!parsed.ok) throw renderFailure(parsed.message);
  let text = '';
  for (const part of parsed.parts) {
    text += 'text' in part ? part.text : encode(fieldValue(context, part.field));
    if (text.length > limit) throw renderFailure('a text that is too long');
  }
  return text;
}

function fieldValue(context: DispatchContext, field: string): string {
  const value = Object.hasOwn(context, field) ? context[field] : undefined;
  if (value === undefined) throw renderFailure(`${field} has no value here`);
  return String(value);
}
