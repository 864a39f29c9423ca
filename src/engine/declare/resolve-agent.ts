import { type Agent, agentSchema } from '#contract/cards/agent.ts';
import { isNativePrompt, type Prompt, promptSchema } from '#contract/cards/prompt.ts';
import { type CardTarget, cardTargetSchema, toCardRef } from '#contract/cards/reference.ts';
import type { AuthoredAction, AuthoredCheck } from '#contract/cards/verifier.ts';
import { type Context, lookUp, toResultRef, unresolved } from './context.ts';
import { nativeSchema } from './placeholders.ts';
import { promptProblems } from './prompt-problems.ts';
import type { AgentResolution } from './resolved-agent.ts';
import { readPromptFormat } from './response-format.ts';
import type { References } from './types.ts';

type Call = Extract<AuthoredAction | AuthoredCheck, { kind: 'agent' }>;

/** The Agent and the Prompt that a call names, from the registry or from the spec itself (verification.md §4.4). */
export function agentOf(context: Context, call: Call): AgentResolution {
  const known = context.agents.get(call);
  if (known !== undefined) return known;
  const resolution = resolve(context.cards, call.agent);
  context.agents.set(call, resolution);
  return resolution;
}

function refuse(message: string): AgentResolution {
  return { problem: { code: 'WYRD_SPEC_400_VALIDATION', rule: 'agent_kind', message } };
}

function resolve(cards: References, target: Call['agent']): AgentResolution {
  const named = toTarget(target);
  if (named === undefined) return withPrompt(cards, agentSchema.parse(target));
  const kind = toCardRef(named)?.kind ?? 'Agent';
  if (kind !== 'Agent') return refuse(`a ${kind} is no Agent`);
  const card = lookUp(cards, named);
  if (card === undefined) return { problem: unresolved(named) };
  const agent = agentSchema.safeParse(card.spec);
  if (card.kind !== 'Agent' || !agent.success) return refuse('the Card is no usable Agent');
  const resolution = withPrompt(cards, agent.data);
  if (resolution.agent === undefined) return resolution;
  return { agent: { ...resolution.agent, ref: toResultRef(card.ref) } };
}

function toTarget(target: unknown): CardTarget | undefined {
  const named = cardTargetSchema.safeParse(target);
  return named.success ? named.data : undefined;
}

function withPrompt(cards: References, agent: Agent): AgentResolution {
  const named = toTarget(agent.prompt);
  if (named === undefined) return withFormat(agent, promptSchema.parse(agent.prompt));
  const kind = toCardRef(named)?.kind ?? 'Prompt';
  if (kind !== 'Prompt') return refuse(`the prompt of the Agent is a ${kind}`);
  const card = lookUp(cards, named);
  if (card === undefined) return { problem: unresolved(named) };
  const prompt = promptSchema.safeParse(card.spec);
  if (card.kind !== 'Prompt' || !prompt.success) return refuse('the Agent names no usable Prompt');
  const resolution = withFormat(agent, prompt.data);
  if (resolution.agent === undefined) return resolution;
  return { agent: { ...resolution.agent, promptRef: toResultRef(card.ref) } };
}

function withFormat(agent: Agent, prompt: Prompt): AgentResolution {
  const [problem] = promptProblems(prompt);
  if (problem !== undefined) return refuse(`the Prompt cannot be used: ${problem.message}`);
  if (isNativePrompt(prompt)) {
    const schema = nativeSchema(prompt);
    return { agent: { agent, prompt, format: schema === undefined ? { kind: 'text' } : { kind: 'schema', schema } } };
  }
  const reading = readPromptFormat(prompt.response_format);
  return reading.ok ? { agent: { agent, prompt, format: reading.format } } : refuse(reading.problem.message);
}
