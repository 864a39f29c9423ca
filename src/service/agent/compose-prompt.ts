import type { StructuredPrompt } from '#contract/cards/prompt.ts';
import { type MediaFormat, mimeTypes } from '#contract/formats.ts';
import type { AgentWork, BoundInput } from '#engine/run/work.ts';
import type { DriveInput, DrivePorts, Performed } from '../drive/performing.ts';
import { readMedia } from '../drive/read-media.ts';
import type { ModelMessage, ModelPart, ModelRequest } from '../ports.ts';
import { type Boundary, boundaryRule, insideBoundary } from './boundary.ts';
import { fillText, hasPlaceholder } from './prompt-text.ts';
import { type CallPrompt, toCallPrompt } from './structured-prompt.ts';
import type { Tool } from './tools/tool.ts';

const maxTextBytes = 1024 * 1024;
const maxMediaBytes = 20 * 1024 * 1024;

type Content = StructuredPrompt['messages'][number]['content'];

/** A request that may be sent, and what its conversation may still hold. */
export interface ComposedPrompt {
  readonly request: ModelRequest;
  /** Bytes of text that later turns may add. */
  readonly room: number;
}

/** The request of the first turn, or why it is not sent (docs/spec/verification.md §4.4, §16.3). */
export async function composePrompt(
  ports: Pick<DrivePorts, 'evidence'>,
  input: Pick<DriveInput, 'tenant'>,
  work: AgentWork,
  { boundary, tools }: { readonly boundary: Boundary; readonly tools: readonly Tool[] },
  signal: AbortSignal,
): Promise<ComposedPrompt | Performed> {
  const prompt = toCallPrompt(work.prompt);
  if (prompt === null) return refused('agent_unavailable');
  const messages: ModelMessage[] = [];
  for (const { role, content } of prompt.messages) {
    const parts = await partsOf(ports, input, work, boundary, content, signal);
    if ('result' in parts) return parts;
    messages.push({ role, parts: parts.parts });
  }
  const system = systemOf(prompt, work, boundary, tools.length > 0);
  const room = maxTextBytes - textBytes(system, messages);
  if (room < 0 || mediaBytes(messages) > maxMediaBytes) return refused('provider_rejected');
  const request: ModelRequest = {
    route: work.route,
    provider: prompt.provider,
    model: prompt.model,
    system,
    messages,
    settings: prompt.settings,
    schema: work.schema,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
  return { request, room };
}

function refused(code: 'agent_unavailable' | 'provider_rejected'): Performed {
  return { result: { kind: 'failure', code, retryable: false } };
}

/** The authored system text, filled, with the rule of the boundary where evidence is placed in a message. */
function systemOf(prompt: CallPrompt, work: AgentWork, boundary: Boundary, hasTools: boolean): string | null {
  const templates = prompt.messages.flatMap(({ content }) => textsOf(content)).filter(hasPlaceholder);
  const system = prompt.system === null ? null : filledSystem(prompt.system, work, boundary);
  const media = prompt.messages.some(({ content }) => typeof content !== 'string' && content.some(isMedia));
  if (templates.length === 0 && !media && !hasTools) return system;
  const rule = boundaryRule(boundary, templates, { media, tools: hasTools });
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
  ports: Pick<DrivePorts, 'evidence'>,
  input: Pick<DriveInput, 'tenant'>,
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
    const shown = mediaParts(boundary, bound.media.format, media.bytes);
    if (shown === null) return { result: { kind: 'failure', code: 'evidence_mismatch', retryable: false } };
    parts.push(...shown);
  }
  return { parts };
}

/** A text file is text to every provider; other files stand as they are between the two lines. Null: no text after all. */
function mediaParts(boundary: Boundary, format: MediaFormat, bytes: Uint8Array): readonly ModelPart[] | null {
  if (format === 'text') {
    const text = decodeText(bytes);
    return text === null ? null : [{ kind: 'text', text: insideBoundary(boundary, text) }];
  }
  return [
    { kind: 'text', text: boundary.open },
    { kind: 'media', media_type: mimeTypes[format], bytes },
    { kind: 'text', text: boundary.close },
  ];
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isMedia(block: Exclude<Content, string>[number]): boolean {
  return block.type !== 'text';
}

function textPart(template: string, work: AgentWork, boundary: Boundary): ModelPart {
  const text = fillText(template, work.inputs);
  return { kind: 'text', text: hasPlaceholder(template) ? insideBoundary(boundary, text) : text };
}

function boundAt(work: AgentWork, name: string): BoundInput | undefined {
  return Object.hasOwn(work.inputs, name) ? work.inputs[name] : undefined;
}

function textBytes(system: string | null, messages: readonly ModelMessage[]): number {
  const parts = messages.flatMap(({ parts }) => parts);
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'text' ? Buffer.byteLength(part.text) : 0),
    Buffer.byteLength(system ?? ''),
  );
}

function mediaBytes(messages: readonly ModelMessage[]): number {
  const parts = messages.flatMap(({ parts }) => parts);
  return parts.reduce((sum, part) => sum + (part.kind === 'media' ? part.bytes.byteLength : 0), 0);
}
