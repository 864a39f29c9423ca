import { randomBytes } from 'node:crypto';
import type { JsonObject } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Provenance } from '#contract/result.ts';
import type { AgentWork, Attestation } from '#engine/run/work.ts';
import { canonical, sha256Hex } from '#engine/values/canonical.ts';
import type { DriveInput, DrivePorts, Performed } from '../drive/performing.ts';
import type { ModelMessage, ModelReply } from '../ports.ts';
import { composePrompt } from './compose-prompt.ts';
import { type Answer, readAnswer } from './read-answer.ts';

const defaultIterations = 10;
const maxCorrectionCharacters = 16_384;

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
  const composed = await composePrompt(ports, input, work, randomBytes(16).toString('hex'), signal);
  if ('result' in composed) return composed;
  const messages: ModelMessage[] = [...composed.messages];
  const turns = work.run_config.max_iterations ?? defaultIterations;
  let last: Extract<Answer, { ok: false }> | null = null;
  let attestation = unanswered(work);
  for (let turn = 0; turn < turns; turn += 1) {
    const reply = await ports.models.generate({ ...composed, messages }, signal);
    if (reply.kind !== 'answer') return { result: failureOf(reply), attestation };
    attestation = answered(attestation, reply);
    const answer = readAnswer(reply.text, work);
    if (answer.ok) return { ...accepted(work, answer), attestation };
    last = answer;
    messages.push(assistant(reply.text), correction(answer));
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
    last === null ? {} : { reason: `the answer does not have the declared form: ${last.places.join('; ')}` };
  return { result: { kind: 'failure', code, retryable: false, ...reason } };
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

function assistant(text: string): ModelMessage {
  return { role: 'assistant', parts: [{ kind: 'text', text: text === '' ? '(empty)' : text }] };
}

function correction({ places }: Extract<Answer, { ok: false }>): ModelMessage {
  const text = [
    'That answer was refused:',
    ...places,
    'Answer again with exactly one JSON object of the declared form and nothing else.',
  ];
  return { role: 'user', parts: [{ kind: 'text', text: text.join('\n').slice(0, maxCorrectionCharacters) }] };
}
