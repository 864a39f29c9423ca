import { APICallError, generateText, type JSONSchema7, Output } from 'ai';
import type { JsonObject } from '#contract/json.ts';
import type { Deployment, ModelRoutes } from '#service/ports/model-routes.ts';
import type { EffectFailure, ModelReply, ModelRequest, Models, ModelThought } from '#service/ports.ts';
import { languageModel } from './language-model.ts';
import { toLibraryMessage, toLibraryTools, toolName } from './library-messages.ts';
import { type Exchange, newExchange, recordedFetch } from './recorded-fetch.ts';
import { isRefusal } from './refusal.ts';

type GenerateTextResult = Awaited<ReturnType<typeof generateText>>;

/**
 * The `Models` port over the `ai` library: one turn, no retries, no repair, no parsing of the answer; those are ours
 * to record (docs/spec/verification.md §4.4). Every fault of a provider is a coded failure.
 */
export function createModels(routes: ModelRoutes): Models {
  return {
    async generate(request, signal) {
      const deployment = deploymentOf(routes, request);
      if (deployment === undefined) return failure('agent_unavailable', false);
      const exchange = newExchange();
      try {
        return await generate(deployment, request, exchange, signal);
      } catch (error) {
        signal.throwIfAborted();
        return exchange.too_large ? failure('provider_malformed_response', true) : failureOf(error);
      }
    },
  };
}

function deploymentOf(routes: ModelRoutes, { route, provider }: ModelRequest): Deployment | undefined {
  return route.kind === 'native' ? routes.native.get(provider) : routes.deployments.get(route.deployment);
}

async function generate(
  deployment: Deployment,
  request: ModelRequest,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<ModelReply> {
  const model = await languageModel(deployment, request.model, recordedFetch(exchange));
  const { schema, tools } = request;
  const result = await generateText({
    model,
    messages: request.messages.map(toLibraryMessage),
    ...(request.system !== null && { instructions: request.system }),
    ...settingsOf(request.settings),
    ...(schema !== null && { output: rawJson(schema) }),
    ...(tools.length > 0 && { tools: toLibraryTools(tools) }),
    maxRetries: 0,
    abortSignal: signal,
  });
  if (result.finishReason === 'content-filter' || isRefusal(exchange.response)) return { kind: 'refusal' };
  const calls = result.toolCalls.map(({ toolCallId, toolName: library, input }) => ({
    id: toolCallId,
    tool: toolName(library),
    arguments: typeof input === 'object' && input !== null ? (input as JsonObject) : {},
  }));
  return {
    kind: 'answer',
    text: result.text,
    tool_calls: calls,
    ...(calls.length > 0 && result.reasoning.length > 0 && { thoughts: result.reasoning.flatMap(toThought) }),
    model_reported: result.response.modelId ?? null,
    request_sha256: exchange.request_sha256,
    response_sha256: exchange.response_sha256,
  };
}

/** Thoughts that are files are no text of ours to keep. */
function toThought(part: GenerateTextResult['reasoning'][number]): readonly ModelThought[] {
  if (part.type !== 'reasoning') return [];
  return [{ text: part.text, provider: (part.providerMetadata as JsonObject | undefined) ?? null }];
}

/** Asks for JSON of this schema and hands the text on as it came: the engine, not the library, judges it. */
function rawJson(schema: JsonObject): Output.Output<string, string, never> {
  return {
    ...Output.text(),
    name: 'raw-json',
    responseFormat: Promise.resolve({ type: 'json', schema: schema as JSONSchema7, name: 'answer' }),
  };
}

/** Names of the contract to names of the library; a setting that is not there is not sent. */
const settingNames: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  max_output_tokens: 'maxOutputTokens',
  top_k: 'topK',
  stop_sequences: 'stopSequences',
  seed: 'seed',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  reasoning_effort: 'reasoning',
};

function settingsOf(settings: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => {
      const known = Object.hasOwn(settingNames, name) ? settingNames[name] : undefined;
      return known === undefined || value === null ? [] : [[known, value]];
    }),
  );
}

/** verification.md §15; the text of an error may hold the prompt or the credential and never leaves. */
function failureOf(error: unknown): EffectFailure {
  if (!APICallError.isInstance(error)) return failure('provider_malformed_response', true);
  const { statusCode: status } = error;
  if (status === undefined) return failure('provider_unreachable', true);
  if (status >= 200 && status < 300) return failure('provider_malformed_response', true);
  const after = retryAfter(error.responseHeaders?.['retry-after']);
  if (status === 429) return { ...failure('provider_rate_limited', true), ...after };
  if (status >= 500) return { ...failure('provider_error', true), ...after };
  return failure('provider_rejected', false);
}

function retryAfter(header: string | undefined): { readonly retry_after_ms?: number } {
  return header !== undefined && /^\d{1,6}$/u.test(header) ? { retry_after_ms: Number(header) * 1000 } : {};
}

function failure(code: EffectFailure['code'], retryable: boolean): EffectFailure {
  return { kind: 'failure', code, retryable };
}
