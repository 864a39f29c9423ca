import type { PinnedInput } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { reasonTexts } from '#contract/reason-codes.ts';
import type { RequirementResult, StepResult, ToolCall } from '#contract/result.ts';
import { canonical, sha256Hex } from '../values/canonical.ts';

export type Capture = 'full' | 'hash' | 'redact';

/** SHA-256 of the RFC 8785 bytes, so that whoever holds the value can compute it anew. */
export function digestOf(value: Json): string {
  return sha256Hex(canonical(value));
}

/** The same for the many results of one run that show one value: it is hashed once. */
export function rememberDigests(): (value: Json) => string {
  const known = new Map<Json, string>();
  return (value) => {
    const digest = known.get(value) ?? digestOf(value);
    known.set(value, digest);
    return digest;
  };
}

/** What leaves of a requirement under a capture mode (docs/spec/verification.md §12). Outcomes never change. */
export function captureRequirement(
  result: RequirementResult,
  capture: Capture,
  digest: (value: Json) => string = digestOf,
): RequirementResult {
  if (capture === 'full') return result;
  const { actual, citations, data, tool_calls, ...kept } = result;
  return {
    ...kept,
    reason: reasonTexts[result.reason_code],
    ...(actual !== undefined && capture === 'hash' && { actual: digest(actual) }),
    ...(citations !== undefined && { citations: citations.map((citation) => captureQuote(citation, capture)) }),
    ...(data !== undefined && capture === 'hash' && { data: { sha256: digestOf(data as JsonObject) } }),
    ...(tool_calls !== undefined && { tool_calls: tool_calls.map((call) => captureCall(call, capture)) }),
  };
}

export function captureStep(result: StepResult, capture: Capture): StepResult {
  if (capture === 'full') return result;
  const { output, reason, tool_calls, ...kept } = result;
  return {
    ...kept,
    ...(output !== undefined && capture === 'hash' && { output: digestOf(output) }),
    ...(reason !== undefined && result.reason_code !== undefined && { reason: reasonTexts[result.reason_code] }),
    ...(tool_calls !== undefined && { tool_calls: tool_calls.map((call) => captureCall(call, capture)) }),
  };
}

export function captureEvidence(pinned: PinnedInput, capture: Capture): PinnedInput | JsonObject {
  if (capture === 'full' || pinned.kind !== 'json') return pinned;
  return { kind: 'json', value: capture === 'hash' ? { sha256: digestOf(pinned.value) } : null };
}

function captureQuote(citation: NonNullable<RequirementResult['citations']>[number], capture: Capture) {
  const { quote, ...place } = citation;
  return quote !== undefined && capture === 'hash' ? { ...place, quote: digestOf(quote) } : place;
}

function captureCall(call: ToolCall, capture: Capture): ToolCall {
  const { error, ...kept } = call;
  return {
    ...kept,
    arguments: capture === 'hash' ? { sha256: digestOf(call.arguments) } : {},
    ...(error !== undefined && { error: { code: error.code } }),
  };
}
