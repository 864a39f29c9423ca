import {
  type AssistantContent,
  type JSONSchema7,
  jsonSchema,
  type ModelMessage as LibraryMessage,
  type ToolContent,
  type ToolSet,
  tool,
  type UserContent,
} from 'ai';
import type { JsonObject } from '#contract/json.ts';
import type { ModelMessage, ModelPart, ModelRequest } from '#service/ports.ts';

type ProviderOptions = NonNullable<Extract<Items<AssistantContent>[number], { type: 'reasoning' }>['providerOptions']>;
type Items<Content> = Extract<Content, readonly unknown[]>;

/** Our messages in the library's words. Parts that a role cannot carry are left out. */
export function toLibraryMessage({ role, parts }: ModelMessage): LibraryMessage {
  switch (role) {
    case 'user':
      return { role, content: parts.flatMap(userPart) };
    case 'assistant':
      return { role, content: parts.flatMap(assistantPart) };
    case 'tool':
      return { role, content: parts.flatMap(resultPart) };
  }
}

function userPart(part: ModelPart): Items<UserContent> {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }];
  if (part.kind !== 'media') return [];
  const filename = part.filename === undefined ? {} : { filename: part.filename };
  return [{ type: 'file', data: part.bytes, mediaType: part.media_type, ...filename }];
}

function assistantPart(part: ModelPart): Items<AssistantContent> {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }];
  if (part.kind === 'thought') {
    const options = part.provider === null ? {} : { providerOptions: part.provider as ProviderOptions };
    return [{ type: 'reasoning', text: part.text, ...options }];
  }
  if (part.kind !== 'tool_call') return [];
  return [{ type: 'tool-call', toolCallId: part.id, toolName: libraryName(part.tool), input: part.arguments }];
}

function resultPart(part: ModelPart): Items<ToolContent> {
  if (part.kind !== 'tool_result') return [];
  const { result } = part;
  // A text is told as it stands: inside its boundary, lines stay lines.
  const output = { type: 'text', value: typeof result === 'string' ? result : JSON.stringify(result) } as const;
  return [{ type: 'tool-result', toolCallId: part.id, toolName: libraryName(part.tool), output }];
}

export function toLibraryTools(tools: ModelRequest['tools']): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      libraryName(name),
      tool({ description, inputSchema: jsonSchema<JsonObject>(parameters as JSONSchema7) }) as ToolSet[string],
    ]),
  );
}

/** Providers take no dots in tool names; ours have exactly one (docs/spec/verification.md §4.4). */
function libraryName(tool: string): string {
  return tool.replace('.', '_');
}

export function toolName(libraryName: string): string {
  return libraryName.replace('_', '.');
}
