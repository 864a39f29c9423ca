import { type Agent, builtInTools } from '#contract/cards/agent.ts';
import type { AuthoredAction, AuthoredCheck } from '#contract/cards/verifier.ts';
import { type MediaFormat, nativeKinds } from '#contract/formats.ts';
import { type Context, report, toReference, wholeSlot } from '../context.ts';
import { type Placeholders, placeholdersOf } from '../placeholders.ts';
import { agentOf } from '../resolve-agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { toFormats } from '../slot-formats.ts';
import { fitVerdict } from '../verdict-fit.ts';
import { type Graph, sortedEntries } from './graph.ts';
import { checkReference, type Position } from './references.ts';
import { checkWorkspace } from './workspace.ts';

export type AgentCall = Extract<AuthoredAction | AuthoredCheck, { kind: 'agent' }>;

/** Kind, references, workspace, placeholders, tools, schema: in this order (docs/spec/verification.md §4.4, §14.3). */
export function checkAgentCall(context: Context, call: AgentCall, position: Position, graph: Graph | null): void {
  const { path } = position;
  const resolution = agentOf(context, call);
  if (resolution.problem !== undefined) context.findings.push({ ...resolution.problem, path });
  const isCheck = position.place === 'check' || position.place === 'step_check';
  const bound = [...sortedEntries(call.inputs)].map(([name, text]) => {
    const reference = toReference(text);
    return { name, reference, isSound: checkReference(context, reference, position, graph) };
  });
  checkWorkspace(context, call.workspace, position, graph);
  if (resolution.agent === undefined) return;
  const placeholders = placeholdersOf(resolution.agent.prompt);
  checkNames(context, Object.keys(call.inputs ?? {}), placeholders, path);
  for (const { name, reference, isSound } of bound) {
    if (isSound) checkMedia(context, name, wholeSlot(reference), placeholders, path);
  }
  checkTools(context, resolution.agent.agent, call, isCheck, path);
  if (isCheck) checkVerdict(context, resolution.agent, call, path);
}

function checkNames(context: Context, names: readonly string[], placeholders: Placeholders, path: string): void {
  const expected = [...new Set([...placeholders.text, ...placeholders.media.keys()])].sort();
  const actual = [...names].sort();
  if (expected.length === actual.length && expected.every((name, position) => name === actual[position])) return;
  const unbound = expected.filter((name) => !actual.includes(name)).map((name) => `${name} is not bound`);
  const extra = actual.filter((name) => !expected.includes(name)).map((name) => `${name} has no placeholder`);
  const message = `inputs and placeholders differ: ${[...unbound, ...extra].slice(0, 10).join(', ')}`;
  report(context, 'agent_inputs', path, message, { expected: expected.slice(0, 100), actual });
}

function checkMedia(
  context: Context,
  name: string,
  slotName: string | undefined,
  placeholders: Placeholders,
  path: string,
): void {
  const slot = context.slots.get(slotName ?? '');
  const formats = typeof slot === 'object' && slot.type === 'media' ? toFormats(slot.formats) : undefined;
  const kinds = placeholders.media.get(name);
  if (kinds !== undefined && !(formats !== undefined && areNative(formats, kinds))) {
    report(context, 'native_media', path, `${name} takes one whole media slot of formats that its block can show`);
  }
  if (placeholders.text.has(name) && formats !== undefined) {
    report(context, 'media_as_text', path, `${name} stands in text and cannot take a whole media slot`);
  }
}

function areNative(formats: readonly MediaFormat[], kinds: ReadonlySet<'image' | 'document' | 'any'>): boolean {
  return formats.every((format) => {
    const native = nativeKinds[format];
    return native !== undefined && [...kinds].every((kind) => kind === 'any' || kind === native);
  });
}

const tools: readonly string[] = builtInTools;

function checkTools(context: Context, agent: Agent, call: AgentCall, isCheck: boolean, path: string): void {
  const names = agent.tool_names ?? [];
  if (isCheck && context.dialect === 'spaced') {
    const refused = names.filter((name) => name !== 'bifrost.query');
    if (refused.length > 0) report(context, 'check_agent_tools', path, 'a check Agent has only the tool bifrost.query');
    return;
  }
  const unknown = names.find((name) => !tools.includes(name));
  if (unknown !== undefined) report(context, 'agent_tools', path, 'a tool that is not built in');
  const hasWorkspace = Object.keys(call.workspace ?? {}).length > 0;
  const readsFiles = names.some((name) => name.startsWith('fs.'));
  if (readsFiles && !hasWorkspace) report(context, 'agent_tools', path, 'an fs tool needs a workspace');
  if (hasWorkspace && !readsFiles && !names.includes('code.run')) {
    report(context, 'agent_tools', path, 'a workspace needs an fs tool or code.run');
  }
}

function checkVerdict(context: Context, { format }: ResolvedAgent, call: AgentCall, path: string): void {
  if (format.kind === 'verdict') return;
  const requireQuote = 'require_quote' in call && call.require_quote === true;
  if (format.kind === 'schema' && fitVerdict(format.schema, requireQuote).fits) return;
  report(context, 'check_agent_schema', path, 'the Prompt of a check asks for a Verdict: use response_format verdict');
}
