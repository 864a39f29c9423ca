import type { Json, JsonObject } from '#contract/json.ts';
import type { ToolCall } from '#contract/result.ts';
import { canonical, compact, sha256Hex, utf8Length } from '#engine/values/canonical.ts';
import { isObject } from '#engine/values/kind.ts';
import { parseJson } from '#engine/values/parse-json.ts';
import type { EffectBusy, Log } from '../../ports.ts';
import { catalogue } from './catalogue.ts';
import { type Tool, type ToolAnswer, type ToolCaller, type ToolPorts, toolError } from './tool.ts';

/** docs/spec/verification.md §4.4. */
const maxResultBytes = 256 * 1024;
/** Calls of one agent call. */
export const maxCalls = 100;
const maxAtOnce = 8;
/** Recorded with a call; longer arguments are recorded by their digest. */
const maxRecordedBytes = 64 * 1024;
const maxArgumentDepth = 64;

export interface AskedCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What the model is told, and what the result shows of the call. */
export interface CalledTool {
  readonly id: string;
  readonly tool: string;
  readonly told: Json;
  readonly record: ToolCall;
}

/** The tools that one agent call was promised, with what all of them share. */
export interface Toolbox {
  readonly tools: readonly Tool[];
  /** All calls of one turn; the calls recorded keep the order asked. `busy` when capacity was refused to one of them. */
  call(asked: readonly AskedCall[], signal: AbortSignal): Promise<readonly CalledTool[] | EffectBusy>;
}

/** Of an agent without tools: a model that asks for one all the same is told that there is none. */
export const noTools: Toolbox = {
  tools: [],
  call: async (asked) => asked.map((one) => called(one, {}, toolError('tool_unknown', 'this agent has no such tool'))),
};

export interface ToolboxOptions {
  readonly names: readonly string[];
  /** `run_config.tool_concurrency_cap`. */
  readonly at_once: number | undefined;
}

/** Null when a tool is not ours: then the agent cannot have what it was promised. */
export function makeToolbox(
  ports: ToolPorts & { readonly log: Log },
  caller: ToolCaller,
  { names, at_once = maxAtOnce }: ToolboxOptions,
): Toolbox | null {
  const tools = names.flatMap((name) => catalogue.get(name) ?? []);
  if (tools.length < names.length) return null;
  const offered = new Map(tools.map((tool) => [tool.name as string, tool]));
  let made = 0;

  async function callOne(asked: AskedCall, signal: AbortSignal): Promise<CalledTool | EffectBusy> {
    made += 1;
    const given = made > maxCalls ? toolError('tool_limit', 'an agent may call tools 100 times') : readArguments(asked);
    const answer = 'kind' in given ? given : await answerOf(ports, caller, offered.get(asked.tool), given, signal);
    if (answer.kind === 'busy') return answer;
    return called(asked, 'kind' in given ? {} : given.given, answer);
  }

  return {
    tools,
    async call(asked, signal) {
      const answers: (CalledTool | EffectBusy)[] = [];
      const waiting = [...asked.entries()];
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          answers[next[0]] = await callOne(next[1], signal);
        }
      };
      await Promise.all(Array.from({ length: Math.min(at_once, maxAtOnce) }, work));
      const done: CalledTool[] = [];
      for (const answer of answers) {
        if ('kind' in answer) return answer;
        done.push(answer);
      }
      return done;
    },
  };
}

/** As JSON of ours: what a provider sends may be deeper, or hold numbers and texts that are no evidence. */
function readArguments(asked: AskedCall): { readonly given: JsonObject } | ReturnType<typeof toolError> {
  try {
    const read = parseJson(JSON.stringify(asked.arguments), { maxDepth: maxArgumentDepth });
    if (read.ok && isObject(read.value)) return { given: read.value };
  } catch {
    // Too deep for JSON.stringify itself.
  }
  return toolError('arguments_invalid', 'the arguments are not one plain JSON object');
}

async function answerOf(
  ports: ToolPorts & { readonly log: Log },
  caller: ToolCaller,
  tool: Tool | undefined,
  { given }: { readonly given: JsonObject },
  signal: AbortSignal,
): Promise<ToolAnswer> {
  if (tool === undefined) return toolError('tool_unknown', 'this agent has no such tool');
  const needed = ['tool:invoke', ...(tool.needs === null ? [] : [tool.needs])] as const;
  const missing = needed.filter((permission) => !caller.permissions.has(permission));
  if (missing.length > 0) return toolError('tool_denied', `the caller lacks ${missing.join(' and ')}`);
  try {
    return await tool.run(ports, caller, given, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.error('a tool failed', { tool: tool.name, error: error instanceof Error ? error.name : 'unknown' });
    return toolError('tool_failed', 'the tool could not be run');
  }
}

function called(asked: AskedCall, given: JsonObject, answer: Exclude<ToolAnswer, EffectBusy>): CalledTool {
  const tool = asked.tool.slice(0, 128);
  const record = { tool, arguments: recorded(given) };
  const bytes = answer.kind === 'result' ? utf8Length(compact(answer.result)) : 0;
  if (answer.kind === 'result' && bytes <= maxResultBytes) {
    const output_sha256 = sha256Hex(canonical(answer.result));
    return { id: asked.id, tool, told: answer.result, record: { ...record, output_sha256, returned_bytes: bytes } };
  }
  const { code, message } = answer.kind === 'error' ? answer : tooLarge;
  const told = { error: { code, message } };
  return { id: asked.id, tool, told, record: { ...record, returned_bytes: 0, error: { code, message } } };
}

/** The call as it counts when the conversation has no room for its result. */
export function withoutRoom({ id, tool, record }: CalledTool): CalledTool {
  const { output_sha256: _, ...kept } = record;
  const { code, message } = noRoom;
  return {
    id,
    tool,
    told: { error: { code, message } },
    record: { ...kept, returned_bytes: 0, error: { code, message } },
  };
}

const tooLarge = toolError('result_limit', 'the result is above 256 KiB: ask for less');
const noRoom = toolError('result_limit', 'the conversation has no room for this result: ask for less');

function recorded(given: JsonObject): JsonObject {
  const text = compact(given);
  return utf8Length(text) <= maxRecordedBytes ? given : { sha256: sha256Hex(canonical(given)), truncated: true };
}
