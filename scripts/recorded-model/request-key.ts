import { createHash } from 'node:crypto';

/** What a recording answers: the model and the texts that were sent to it. */
export interface AskedOf {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

/** The random lines around evidence (docs/decisions/evidence-boundary.md), which differ from call to call. */
const boundary = /<<<((?:end of )?data) [0-9a-f]{32}>>>/g;

/** Reads an OpenAI chat-completions request; undefined when it is none. */
export function readAsked(body: unknown): AskedOf | undefined {
  const model = member(body, 'model');
  const messages = member(body, 'messages');
  if (typeof model !== 'string' || !Array.isArray(messages)) return undefined;
  const read = messages.map((message) => ({
    role: String(member(message, 'role')),
    text: textOf(member(message, 'content')),
  }));
  return { model, messages: read.map(({ role, text }) => ({ role, text: text.replaceAll(boundary, '<<<$1>>>') })) };
}

/** Equal for requests that ask the same, so that a changed prompt is noticed. */
export function requestKey({ model, messages }: AskedOf): string {
  const texts = messages.map(({ role, text }) => [role, text]);
  return createHash('sha256')
    .update(JSON.stringify([model, texts]))
    .digest('hex');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => String(member(part, 'text') ?? '')).join('') : '';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
