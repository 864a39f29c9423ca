import type { Json } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { EffectFailure, SandboxReply } from '#service/ports.ts';
import { builtinExceptions } from './exceptions.ts';
import type { Report } from './frames.ts';
import { limits } from './limits.ts';

const codes = new Map<string, ReasonCode>(
  (
    [
      'code_exception',
      'code_entrypoint_missing',
      'code_memory',
      'code_forbidden',
      'malformed_output',
      'output_limit',
    ] as const
  ).map((code) => [code, code]),
);

/** Of docs/spec/verification.md §4.5: only a sandbox that does not work may be tried again. */
export function failure(code: ReasonCode, reason?: string): EffectFailure {
  const retryable = code === 'code_unavailable';
  return reason === undefined ? { kind: 'failure', code, retryable } : { kind: 'failure', code, retryable, reason };
}

/** Judges a hostile report: the interpreter checked the answer, but what checks it there is within reach of the code. */
export function toReply(report: Report, interpreter: string): SandboxReply {
  const text = decodeText(report.body);
  if (text?.startsWith('O')) return toOutput(text.slice(1), report.printed, interpreter);
  const [name = '', exception = ''] = (text ?? '').slice(1).split(' ');
  const code = text?.startsWith('E') ? codes.get(name) : undefined;
  if (code === undefined) return failure('malformed_output');
  return code === 'code_exception' && builtinExceptions.has(exception) ? failure(code, exception) : failure(code);
}

function toOutput(text: string, printed: Uint8Array, interpreter: string): SandboxReply {
  const output = parse(text);
  if (output === undefined || !isSound(output)) return failure('malformed_output');
  if (Buffer.byteLength(JSON.stringify(output)) > limits.output_bytes) return failure('output_limit');
  // A character cut in two at the limit is left out.
  const kept = new TextDecoder().decode(printed, { stream: true });
  return { kind: 'output', output, printed: kept, interpreter };
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSound(value: Json): boolean {
  const waiting: [value: Json, depth: number][] = [[value, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [item, depth] = next;
    if (item === null || typeof item !== 'object') {
      if (!isSoundScalar(item)) return false;
      continue;
    }
    if (depth > limits.output_depth) return false;
    for (const [name, child] of Object.entries<Json>(item)) waiting.push([name, depth], [child, depth + 1]);
  }
  return true;
}

function isSoundScalar(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value !== 'number' || Number.isFinite(value);
}
