import { createHash } from 'node:crypto';
import type { JsonObject } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Work } from '#engine/index.ts';
import { canonical } from '#engine/values/canonical.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';

/** A read is cut this long before the deadline, so that a verdict is still given (docs/spec/verification.md §9.5). */
const margin = 2_000;

/**
 * The trace that the run judges. Its RFC 8785 bytes are kept as evidence under the digest that the record names, so that a
 * replay and a stranger judge the same spans, whatever arrives later.
 */
export async function performTrace(
  ports: DrivePorts,
  input: DriveInput,
  work: Extract<Work, { kind: 'trace' }>,
  signal: AbortSignal,
): Promise<Performed> {
  const limit = new AbortController();
  const bounded = AbortSignal.any([signal, limit.signal]);
  const left = Math.max(0, input.deadline - margin - ports.clock.now());
  const late = ports.clock.sleep(left, bounded).then(() => null);
  try {
    const pinned = input.pinned_traces?.[work.trace_id.toLowerCase()];
    const reading = pinned === undefined ? readLive(ports, input, work, bounded) : readPinned(ports, input, pinned);
    return (await Promise.race([reading, late])) ?? failed('trace_timeout');
  } finally {
    limit.abort();
  }
}

const codes = { not_found: 'trace_not_found', not_landed: 'trace_not_landed', failed: 'trace_source_failed' } as const;

async function readLive(
  { traces, evidence, log }: DrivePorts,
  { tenant }: DriveInput,
  { trace_id }: Extract<Work, { kind: 'trace' }>,
  signal: AbortSignal,
): Promise<Performed> {
  const reply = await traces.read(tenant, trace_id, signal);
  if (reply.kind !== 'trace') return failed(codes[reply.kind]);
  const bytes = Buffer.from(canonical(reply.trace), 'utf8');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  try {
    await evidence.write(tenant, { sha256, size_bytes: bytes.byteLength }, oneChunk(bytes));
  } catch (error) {
    log.error('trace not pinned', { error: error instanceof Error ? error.name : 'unknown' });
    return failed('trace_source_failed');
  }
  return { result: { kind: 'trace', trace: reply.trace } };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function readPinned({ evidence }: DrivePorts, { tenant }: DriveInput, sha256: string): Promise<Performed> {
  const bytes = await evidence.read(tenant, sha256).catch(() => null);
  const isRight = bytes !== null && createHash('sha256').update(bytes).digest('hex') === sha256;
  if (!isRight) return failed('trace_source_failed');
  return { result: { kind: 'trace', trace: JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject } };
}

function failed(code: ReasonCode): Performed {
  return { result: { kind: 'failure', code, retryable: false } };
}
