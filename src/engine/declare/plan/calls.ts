import type { RunConfig } from '#contract/cards/agent.ts';
import type { CardTarget } from '#contract/cards/reference.ts';
import type { AgentPlan, Binding, CodePlan, WorkspaceEntry } from '../../plan.ts';
import { compareBytes } from '../../values/canonical.ts';
import { type Context, lookUp, toReference, toResultRef } from '../context.ts';
import { agentOf } from '../resolve-agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { readNamedFormat } from '../response-format.ts';
import type { AgentCall } from '../rules/agent-call.ts';
import { type CodeCall, formatOf } from '../rules/code-call.ts';
import { sortedEntries } from '../rules/graph.ts';
import type { AuthoredWorkspace } from '../rules/workspace.ts';
import { fitVerdict } from '../verdict-fit.ts';
import type { AttachmentBook } from './attachments.ts';
import { reachOf, type StepReach } from './reach.ts';

/** What building a plan needs beside the blocks themselves. */
export interface PlanKit {
  readonly context: Context;
  readonly book: AttachmentBook;
  readonly reach: StepReach;
}

function toBindings(inputs: Readonly<Record<string, string>> | undefined): readonly Binding[] {
  return sortedEntries(inputs).map(([name, text]) => ({ name, reference: toReference(text) }));
}

function toWorkspace(workspace: AuthoredWorkspace | undefined, book: AttachmentBook): readonly WorkspaceEntry[] {
  const entries = sortedEntries(workspace).flatMap(([path, entry]): WorkspaceEntry[] => {
    if (typeof entry === 'string') return [{ path, source: { kind: 'reference', reference: toReference(entry) } }];
    const mounted = book.mount(entry);
    return mounted.map(({ below, slot }) => ({ path: `${path}${below}`, source: { kind: 'attachment', slot } }));
  });
  return entries.sort((left, right) => compareBytes(left.path, right.path));
}

const runConfigNames = ['max_iterations', 'tool_concurrency_cap', 'session_recent_limit', 'timeout_ms'] as const;

/** The members that mean something, with their defaults (docs/spec/verification.md §4.4). */
function toRunConfig(authored: RunConfig | undefined): RunConfig {
  const known = runConfigNames.flatMap((name) => {
    const value = authored?.[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { max_iterations: 10, tool_concurrency_cap: 8, ...Object.fromEntries(known) };
}

export function toAgentPlan({ context, book, reach }: PlanKit, call: AgentCall, isCheck: boolean): AgentPlan {
  const { agent: resolved } = agentOf(context, call);
  if (resolved === undefined) throw new Error('an Agent was not resolved before its plan was built');
  const inputs = toBindings(call.inputs);
  const workspace = toWorkspace(call.workspace, book);
  return {
    kind: 'agent',
    ...(resolved.ref === undefined ? {} : { agent: resolved.ref }),
    ...(resolved.promptRef === undefined ? {} : { prompt_ref: resolved.promptRef }),
    prompt: resolved.prompt,
    route: resolved.agent.execution_route,
    run_config: toRunConfig(resolved.agent.run_config),
    tool_names: resolved.agent.tool_names ?? [],
    inputs,
    workspace,
    response: toResponse(resolved, isCheck, 'require_quote' in call && call.require_quote === true),
    reach: reachOf(
      inputs.map(({ reference }) => reference),
      workspace,
      reach,
    ),
  };
}

function toResponse({ format }: ResolvedAgent, isCheck: boolean, requireQuote: boolean): AgentPlan['response'] {
  if (format.kind !== 'schema' || !isCheck) return format;
  const fit = fitVerdict(format.schema, requireQuote);
  return fit.fits && fit.data !== undefined ? { ...format, data: fit.data } : format;
}

export function toCodePlan({ context, reach }: PlanKit, call: CodeCall): CodePlan {
  const inputs = toBindings(call.inputs);
  const reading = readNamedFormat(formatOf(call));
  const data = reading.ok && reading.format.kind === 'verdict' ? reading.format.data : undefined;
  return {
    kind: 'code',
    source: toSource(context, call.source),
    entrypoint: call.entrypoint,
    inputs,
    ...(data === undefined ? {} : { data }),
    reach: reachOf(
      inputs.map(({ reference }) => reference),
      [],
      reach,
    ),
  };
}

function toSource(context: Context, source: CodeCall['source']): CodePlan['source'] {
  if ('inline' in source) return { kind: 'inline', text: source.inline };
  const { card, path } = source.artifact;
  const artifact = toResultRef(resolvedRef(context, card));
  return { kind: 'artifact', artifact, ...(path == null ? {} : { path }) };
}

export function resolvedRef(context: Context, target: CardTarget) {
  const card = lookUp(context.cards, target);
  if (card === undefined) throw new Error('a Card was not resolved before the plan was built');
  return card.ref;
}
