import { isNativePrompt, type Prompt, type StructuredPrompt } from '#contract/cards/prompt.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { isObject, memberOf } from '#engine/values/kind.ts';

/** A Prompt in its one internal form. */
export interface CallPrompt {
  readonly provider: string;
  readonly model: string;
  readonly system: string | null;
  readonly messages: StructuredPrompt['messages'];
  readonly settings: JsonObject;
}

/**
 * The internal form of a Prompt. A provider-native body is read where it says the same things: texts of system, user
 * and assistant, and the common settings; null when it says something else, which no answer may hide.
 */
export function toCallPrompt(prompt: Prompt): CallPrompt | null {
  if (isNativePrompt(prompt)) return fromNative(prompt.provider, prompt.model, prompt.body as JsonObject);
  const { provider, model, system, messages, settings } = prompt;
  const kept = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { provider, model, system: system ?? null, messages, settings: Object.fromEntries(kept) as JsonObject };
}

const nativeSettings: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  stop: 'stop_sequences',
  stop_sequences: 'stop_sequences',
  seed: 'seed',
  presence_penalty: 'presence_penalty',
  frequency_penalty: 'frequency_penalty',
  reasoning_effort: 'reasoning_effort',
};

const readElsewhere: ReadonlySet<string> = new Set(['model', 'messages', 'system', 'response_format']);

function fromNative(provider: string, model: string, body: JsonObject): CallPrompt | null {
  const listed = memberOf(body, 'messages');
  const read = Array.isArray(listed) ? listed.map(readMessage) : [null];
  const messages = read.filter((message) => message !== null);
  const settings = settingsOf(body);
  if (messages.length < read.length || settings === null) return null;
  const system = memberOf(body, 'system');
  const systems = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  if (typeof system === 'string') systems.unshift(system);
  return {
    provider,
    model,
    system: systems.length === 0 ? null : systems.join('\n'),
    messages: messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }])),
    settings,
  };
}

/** Null: a setting whose meaning is not known here must not be dropped in silence. */
function settingsOf(body: JsonObject): JsonObject | null {
  const settings: [string, Json][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (readElsewhere.has(name)) continue;
    const known = Object.hasOwn(nativeSettings, name) ? nativeSettings[name] : undefined;
    if (known === undefined) return null;
    settings.push([known, known === 'stop_sequences' && typeof value === 'string' ? [value] : value]);
  }
  return Object.fromEntries(settings);
}

function readMessage(
  message: Json,
): { readonly role: 'system' | 'user' | 'assistant'; readonly content: string } | null {
  if (!isObject(message)) return null;
  const role = memberOf(message, 'role');
  const content = memberOf(message, 'content');
  if (typeof content !== 'string') return null;
  if (role === 'developer') return { role: 'system', content };
  return role === 'system' || role === 'user' || role === 'assistant' ? { role, content } : null;
}
