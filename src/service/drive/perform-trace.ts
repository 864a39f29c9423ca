import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Work } from '#engine/index.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';

/** A read is cut this long before the deadline, so that a verdict is still given (docs/spec/verification.md §9.5). */
const margin = 2_000;

export async function performTrace(
  ports: DrivePorts,
  input: DriveInput,
  work: Extract<Work, { kind: 'trace' }>,
  signal: AbortSignal,
): Promise<Performed> {
  const limit = new AbortController();
  const bounded = AbortSignal.any([signal, limit.signal]);
  const left = Math.max(0, input.deadline - margin - ports.clock.now());
  try {
    const reading = ports.traces.read(input.tenant, work.trace_id, bounded);
    const reply = await Promise.race([reading, ports.clock.sleep(left, bounded).then(() => null)]);
    if (reply === null) return failed('trace_timeout');
    if (reply.kind === 'trace') return { result: { kind: 'trace', trace: reply.trace } };
    return failed(codes[reply.kind]);
  } finally {
    limit.abort();
  }
}

const codes = { not_found: 'trace_not_found', not_landed: 'trace_not_landed', failed: 'trace_source_failed' } as const;

function failed(code: ReasonCode): Performed {
  return { result: { kind: 'failure', code, retryable: false } };
}
