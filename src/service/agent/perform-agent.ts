import { randomBytes } from 'node:crypto';
import type { JsonObject } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Provenance } from '#contract/result.ts';
import type { AgentWork, Attestation } from '#engine/run/work.ts';
import { canonical, sha256Hex } from '#engine/values/canonical.ts';
import type { DriveInput, DrivePorts, Performed } from '../drive/performing.ts';
import type { ModelReply } from '../ports.ts';
import { boundaryOf } from './boundary.ts';
import { composePrompt } from './compose-prompt.ts';
import { type Conversation, newConversation } from './conversation.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { makeToolbox, noTools, type Toolbox } from './tools/toolbox.ts';
import { mountWorkspace } from './workspace/mount.ts';

const defaultIterations = 10;

/**
 * Asks a model until its answer has the declared form or the budget of turns is spent
 * (docs/spec/verification.md §4.4). Whether a pass stands is the engine's to say.
 */
export async function performAgent(
  ports: DrivePorts,
  input: DriveInput,
  work: AgentWork,
  signal: AbortSignal,
): Promise<Performed> {
  const provenance: Provenance = {
    kind: 'agent',
    ...(work.agent !== undefined && { agent: work.agent }),
    ...(work.prompt_ref !== undefined && { prompt: work.prompt_ref }),
    route: work.route as JsonObject,
  };
  const called = { provenance, attestation: unanswered(work) };
  const { timeout_ms } = work.run_config;
  if (timeout_ms === undefined) return { ...called, ...(await converse(ports, input, work, signal)) };
  const limit = new AbortController();
  const bounded = AbortSignal.any([signal, limit.signal]);
  try {
    const expired = ports.clock.sleep(timeout_ms, bounded).then(() => failed('agent_timeout', true));
    return { ...called, ...(await Promise.race([converse(ports, input, work, bounded), expired])) };
  } finally {
    limit.abort();
  }
}

async function converse(
  ports: DrivePorts,
  input: DriveInput,
  work: AgentWork,
  signal: AbortSignal,
): Promise<Performed> {
  const boundary = boundaryOf(randomBytes(16).toString('hex'));
  const toolbox = await equip(ports, input, work, signal);
  if ('result' in toolbox) return toolbox;
  const composed = await composePrompt(ports, input, work, { boundary, tools: toolbox.tools }, signal);
  if ('result' in composed) return composed;
  const conversation = newConversation(composed, boundary);
  const performed = await takeTurns(ports, work, toolbox, conversation, signal);
  return work.tool_names.length === 0 ? performed : { ...performed, tool_calls: conversation.calls };
}

/** An agent that was promised tools or files never judges without them. */
async function equip(
  { tools, ...effects }: DrivePorts,
  { tenant, permissions, run }: DriveInput,
  { tool_names, workspace: entries, run_config }: AgentWork,
  signal: AbortSignal,
): Promise<Toolbox | Performed> {
  if (tool_names.length === 0) return noTools;
  if (tools === undefined) return failed('agent_unavailable', false);
  const workspace = await mountWorkspace({ ...effects, ...tools }, tenant, entries, signal);
  if ('kind' in workspace) return { result: workspace };
  const caller = { tenant, permissions: permissions ?? new Set(), workspace, started_at: run.started_at };
  const options = { names: tool_names, at_once: run_config.tool_concurrency_cap };
  return makeToolbox({ ...effects, ...tools }, caller, options) ?? failed('agent_unavailable', false);
}

/** Tool turns and repairs share one budget (docs/spec/verification.md §4.4). */
async function takeTurns(
  { models }: DrivePorts,
  work: AgentWork,
  toolbox: Toolbox,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<Performed> {
  const turns = work.run_config.max_iterations ?? defaultIterations;
  let last: Extract<Answer, { ok: false }> | null = null;
  let attestation = unanswered(work);
  for (let turn = 0; turn < turns; turn += 1) {
    const reply = await models.generate(conversation.request(), signal);
    if (reply.kind !== 'answer') return { result: failureOf(reply), attestation };
    attestation = answered(attestation, reply);
    if (reply.tool_calls.length > 0) {
      const called = await toolbox.call(reply.tool_calls, signal);
      if ('kind' in called) return { result: called, attestation };
      conversation.addTools(reply, called);
      continue;
    }
    const answer = readAnswer(reply.text, work);
    if (answer.ok) return { ...accepted(work, answer), attestation };
    last = answer;
    conversation.addCorrection(reply.text, answer.places);
  }
  return { ...exhausted(work, last), attestation };
}

type AgentAttestation = Extract<Attestation, { kind: 'agent' }>;

/** What the record says of a judge that has not answered (docs/spec/records.md §1). */
function unanswered(work: AgentWork): AgentAttestation {
  const prompt_sha256 = sha256Hex(canonical(work.prompt as JsonObject));
  return { kind: 'agent', prompt_sha256, model_reported: null, request_sha256: null, response_sha256: null };
}

/** The last turn is the one whose answer counts. */
function answered(
  before: AgentAttestation,
  { model_reported, request_sha256, response_sha256 }: Extract<ModelReply, { kind: 'answer' }>,
): AgentAttestation {
  return { ...before, model_reported, request_sha256, response_sha256 };
}

function accepted(work: AgentWork, answer: Extract<Answer, { ok: true }>): Performed {
  if (work.position === 'check') return { result: { kind: 'verdict', verdict: answer.value } };
  return { result: { kind: 'output', output: answer.value } };
}

function exhausted(work: AgentWork, last: Extract<Answer, { ok: false }> | null): Performed {
  const code = exhaustedCode(work, last);
  const reason =
    last === null
      ? 'no answer within the turns allowed'
      : `the answer does not have the declared form: ${last.places.join('; ')}`;
  return { result: { kind: 'failure', code, retryable: false, reason } };
}

function exhaustedCode(work: AgentWork, last: Extract<Answer, { ok: false }> | null): ReasonCode {
  if (work.position === 'step') return 'malformed_output';
  return last?.code === 'verdict_data_limit' ? 'verdict_data_limit' : 'malformed_verdict';
}

function failureOf(reply: Exclude<ModelReply, { kind: 'answer' }>): Performed['result'] {
  if (reply.kind !== 'refusal') return reply;
  return { kind: 'failure', code: 'provider_refusal', retryable: false };
}

function failed(code: ReasonCode, retryable: boolean): Performed {
  return { result: { kind: 'failure', code, retryable } };
}
