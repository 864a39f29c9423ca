import { createHash } from 'node:crypto';
import type { Work } from '#engine/index.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';

/** A call without an authored limit (docs/spec/verification.md §4.5). */
const defaultTimeout = 10_000;

export async function performCode(
  ports: Pick<DrivePorts, 'artifacts' | 'sandbox'>,
  input: Pick<DriveInput, 'tenant'>,
  work: Extract<Work, { kind: 'code' }>,
  signal: AbortSignal,
): Promise<Performed> {
  const bytes = await sourceOf(ports, input, work, signal);
  if (bytes === null) return { result: { kind: 'failure', code: 'evidence_unavailable', retryable: true } };
  const source = decode(bytes);
  if (source === null) return { result: { kind: 'failure', code: 'code_exception', retryable: false } };
  const { entrypoint, inputs, clock, position } = work;
  const timeout_ms = work.timeout_ms ?? defaultTimeout;
  const reply = await ports.sandbox.run({ source, entrypoint, inputs, clock, timeout_ms }, signal);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const provenance = { kind: 'code', sha256, runtime: 'python' } as const;
  if (reply.kind === 'busy') return { result: reply };
  if (reply.kind === 'failure') return { result: codeFailure(reply, work), provenance };
  const result =
    position === 'check'
      ? ({ kind: 'verdict', verdict: reply.output } as const)
      : ({ kind: 'output', output: reply.output } as const);
  return { result, provenance, attestation: { kind: 'code', interpreter: reply.interpreter } };
}

/** In a check an answer that is no JSON, or too much of it, is no Verdict; an authored limit is the step's own (§4.5). */
function codeFailure(
  reply: Extract<Awaited<ReturnType<DrivePorts['sandbox']['run']>>, { kind: 'failure' }>,
  work: Extract<Work, { kind: 'code' }>,
): Performed['result'] {
  if (work.position === 'check' && (reply.code === 'malformed_output' || reply.code === 'output_limit')) {
    return { kind: 'failure', code: 'malformed_verdict', retryable: false };
  }
  if (reply.code === 'code_timeout' && work.timeout_ms !== null) {
    return { kind: 'failure', code: 'step_timeout', retryable: true };
  }
  return reply;
}

async function sourceOf(
  ports: Pick<DrivePorts, 'artifacts' | 'sandbox'>,
  input: Pick<DriveInput, 'tenant'>,
  work: Extract<Work, { kind: 'code' }>,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const { source } = work;
  if (source.kind === 'inline') return new TextEncoder().encode(source.text);
  return ports.artifacts.file(input.tenant, source.artifact, source.path, signal);
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
