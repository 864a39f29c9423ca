import type { ToolCall } from '#contract/result.ts';
import { compact } from '#engine/values/canonical.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../ports.ts';
import { type Boundary, insideBoundary } from './boundary.ts';
import type { ComposedPrompt } from './compose-prompt.ts';
import { type CalledTool, maxCalls, withoutRoom } from './tools/toolbox.ts';

const maxCorrectionCharacters = 16_384;

/** The turns of one agent call. Its text is bounded as a whole; a tool result that has no room is not shown. */
export interface Conversation {
  /** Every recorded call so far, in the order asked. */
  readonly calls: readonly ToolCall[];
  request(): ModelRequest;
  addTools(reply: Extract<ModelReply, { kind: 'answer' }>, called: readonly CalledTool[]): void;
  /** `places` of the declared form that the answer breaks; never content of it. */
  addCorrection(answer: string, places: readonly string[]): void;
}

export function newConversation({ request, room }: ComposedPrompt, boundary: Boundary): Conversation {
  const messages: ModelMessage[] = [...request.messages];
  const calls: ToolCall[] = [];
  let left = room;

  /** Tool results are evidence, as inputs are: inside the boundary, whatever they say. */
  function tell(one: CalledTool): string {
    const text = insideBoundary(boundary, compact(one.told));
    left -= Buffer.byteLength(text);
    return text;
  }

  return {
    calls,
    request: () => ({ ...request, messages }),
    addTools({ text, tool_calls, thoughts = [] }, called) {
      const thought = thoughts.map((one) => ({ kind: 'thought', ...one }) as const);
      const asked = tool_calls.map((call) => ({ kind: 'tool_call', ...call }) as const);
      messages.push({
        role: 'assistant',
        parts: [...thought, ...(text === '' ? [] : [{ kind: 'text', text } as const]), ...asked],
      });
      left -= Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(thoughts));
      const parts = called.map((one) => {
        const shown = Buffer.byteLength(compact(one.told)) > left ? withoutRoom(one) : one;
        if (calls.length < maxCalls) calls.push(shown.record);
        return { kind: 'tool_result', id: one.id, tool: one.tool, result: tell(shown) } as const;
      });
      messages.push({ role: 'tool', parts });
    },
    addCorrection(answer, places) {
      const text = [
        'That answer was refused:',
        ...places,
        'Answer again with exactly one JSON object of the declared form and nothing else.',
      ];
      messages.push(
        { role: 'assistant', parts: [{ kind: 'text', text: answer === '' ? '(empty)' : answer }] },
        { role: 'user', parts: [{ kind: 'text', text: text.join('\n').slice(0, maxCorrectionCharacters) }] },
      );
      left -= Buffer.byteLength(answer);
    },
  };
}
