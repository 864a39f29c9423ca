import type { StructuredPrompt } from '#contract/cards/prompt.ts';
import { mimeTypes } from '#contract/formats.ts';
import type { AgentWork, BoundInput } from '#engine/run/work.ts';
import type { DriveInput, DrivePorts, Performed } from '../drive/performing.ts';
import { readMedia } from '../drive/read-media.ts';
import type { ModelMessage, ModelPart, ModelRequest } from '../ports.ts';
import { type Boundary, boundaryOf, boundaryRule, insideBoundary } from './boundary.ts';
import { fillText, hasPlaceholder } from './prompt-text.ts';
import { type CallPrompt, toCallPrompt } from './structured-prompt.ts';

const maxTextBytes = 1024 * 1024;
const maxMediaBytes = 20 * 1024 * 1024;

type Content = StructuredPrompt['messages'][number]['content'];

/** The request of the first turn, or why it is not sent (docs/spec/verification.md §4.4, §16.3). */
export async function composePrompt(
  ports: DrivePorts,
  input: DriveInput,
  work: AgentWork,
  token: string,
  signal: AbortSignal,
): Promise<ModelRequest | Performed> {
  const prompt = toCallPrompt(work.prompt);
  if (prompt === null) return refused('agent_unavailable');
  // Tools and workspaces need their own host functions; an agent that was promised them must not judge without.
  if (work.tool_names.length > 0 || work.workspace.length > 0) return refused('agent_unavailable');
  const boundary = boundaryOf(token);
  const messages: ModelMessage[] = [];
  for (const { role, content } of prompt.messages) {
    const parts = await partsOf(ports, input, work, boundary, content, signal);
    if ('result' in parts) return parts;
    messages.push({ role, parts: parts.parts });
  }
  const system = systemOf(prompt, work, boundary);
  if (isTooLarge(system, messages)) return refused('provider_rejected');
  return {
    route: work.route,
    provider: prompt.provider,
    model: prompt.model,
    system,
    messages,
    settings: prompt.settings,
    schema: work.schema,
    tools: [],
  };
}

function refused(code: 'agent_unavailable' | 'provider_rejected'): Performed {
  return { result: { kind: 'failure', code, retryable: false } };
}

/** The authored system text, filled, with the rule of the boundary where evidence is placed in a message. */
function systemOf(prompt: CallPrompt, work: AgentWork, boundary: Boundary): string | null {
  const templates = prompt.messages.flatMap(({ content }) => textsOf(content)).filter(hasPlaceholder);
  const system = prompt.system === null ? null : filledSystem(prompt.system, work, boundary);
  if (templates.length === 0) return system;
  const rule = boundaryRule(boundary, templates);
  return system === null ? rule : `${system}\n\n${rule}`;
}

function filledSystem(template: string, work: AgentWork, boundary: Boundary): string {
  if (!hasPlaceholder(template)) return template;
  return insideBoundary(boundary, fillText(template, work.inputs));
}

function textsOf(content: Content): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

async function partsOf(
  ports: DrivePorts,
  input: DriveInput,
  work: AgentWork,
  boundary: Boundary,
  content: Content,
  signal: AbortSignal,
): Promise<{ readonly parts: readonly ModelPart[] } | Performed> {
  if (typeof content === 'string') return { parts: [textPart(content, work, boundary)] };
  const parts: ModelPart[] = [];
  for (const block of content) {
    if (block.type === 'text') {
      parts.push(textPart(block.text, work, boundary));
      continue;
    }
    const bound = boundAt(work, block.source.slice('${media:'.length, -1));
    // An optional file that was not sent has no bytes to show.
    if (bound?.kind !== 'media') continue;
    const media = await readMedia(ports.evidence, input.tenant, bound.media, signal);
    if (media.kind === 'failure') return { result: media };
    parts.push({ kind: 'media', media_type: mimeTypes[bound.media.format], bytes: media.bytes });
  }
  return { parts };
}

function textPart(template: string, work: AgentWork, boundary: Boundary): ModelPart {
  const text = fillText(template, work.inputs);
  return { kind: 'text', text: hasPlaceholder(template) ? insideBoundary(boundary, text) : text };
}

function boundAt(work: AgentWork, name: string): BoundInput | undefined {
  return Object.hasOwn(work.inputs, name) ? work.inputs[name] : undefined;
}

function isTooLarge(system: string | null, messages: readonly ModelMessage[]): boolean {
  let text = Buffer.byteLength(system ?? '');
  let media = 0;
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.kind === 'text') text += Buffer.byteLength(part.text);
    if (part.kind === 'media') media += part.bytes.byteLength;
  }
  return text > maxTextBytes || media > maxMediaBytes;
}
