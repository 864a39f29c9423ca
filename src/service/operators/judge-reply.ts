import type { OperatorSpec } from '#contract/cards/operator.ts';
import type { DeliveryReply } from '../ports/deliver.ts';
import type { Dispatch, DispatchEnd, DispatchErrorCode } from '../ports/dispatches.ts';

/** What one attempt came to. `retry_after` as the provider sent it. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'terminal'; readonly error: DispatchErrorCode }
  | { readonly kind: 'retryable'; readonly error: DispatchErrorCode; readonly retry_after?: string | null };

/** The table of docs/spec/background.md §9.4. */
export function judgeReply(spec: OperatorSpec, reply: DeliveryReply): AttemptOutcome {
  switch (reply.kind) {
    case 'rejected':
      return { kind: 'terminal', error: 'destination_rejected' };
    case 'unreachable':
      return { kind: 'retryable', error: 'destination_unreachable' };
    case 'timed_out':
      return { kind: 'retryable', error: 'attempt_timed_out' };
    case 'answer':
      return judgeAnswer(spec, reply);
  }
}

type Answer = Extract<DeliveryReply, { kind: 'answer' }>;

const rejected: AttemptOutcome = { kind: 'terminal', error: 'provider_rejected' };
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

function judgeAnswer(spec: OperatorSpec, { status, retry_after, body }: Answer): AttemptOutcome {
  const transient: AttemptOutcome = { kind: 'retryable', error: 'provider_transient', retry_after };
  const expected = spec.kind === 'http' ? spec.expect_status : undefined;
  const isExpected = expected === undefined ? status >= 200 && status < 300 : status === expected;
  if (!isExpected) return transientStatuses.has(status) || status >= 500 ? transient : rejected;
  if (spec.kind !== 'notify' || spec.channel.kind !== 'slack') return { kind: 'delivered' };
  const said = readSlack(body);
  if (said === null) return rejected;
  if (said.ok) return { kind: 'delivered' };
  return transientSlackErrors.has(said.error) ? transient : rejected;
}

/** Slack answers 200 to what it refuses. */
const transientSlackErrors: ReadonlySet<string> = new Set([
  'ratelimited',
  'internal_error',
  'service_unavailable',
  'request_timeout',
  'fatal_error',
]);

function readSlack(body: string): { readonly ok: boolean; readonly error: string } | null {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || !('ok' in value)) return null;
    return { ok: value.ok === true, error: 'error' in value && typeof value.error === 'string' ? value.error : '' };
  } catch {
    return null;
  }
}

export const maxAttempts = 3;
/** Milliseconds after its creation in which a dispatch may begin an attempt. */
export const deadlineMs = 300_000;
/** Later than this no attempt is due that the provider did not ask for: an alarm may ring a minute late. */
const latestMs = 210_000;
const waitsMs = [30_000, 120_000];

/** The state after an attempt that ended at `now` (docs/spec/background.md §9.3). `attempts` counts it. */
export function endAfter(
  { attempts, created_at }: Pick<Dispatch, 'attempts' | 'created_at'>,
  outcome: AttemptOutcome,
  now: number,
): DispatchEnd {
  if (outcome.kind === 'delivered') return { status: 'delivered' };
  const { error } = outcome;
  const wait = waitsMs[attempts - 1];
  if (outcome.kind === 'terminal' || wait === undefined) return { status: 'failed', error };
  const asked = retryAfterMs(outcome.retry_after ?? null, now) ?? 0;
  const own = Math.max(now, Math.min(now + wait, created_at + latestMs));
  const due_at = asked > wait ? now + asked : own;
  return due_at > created_at + deadlineMs ? { status: 'failed', error } : { status: 'retrying', error, due_at };
}

/** Seconds, or an HTTP date (RFC 9110 §10.2.3). Null for anything else. */
function retryAfterMs(text: string | null, now: number): number | null {
  const trimmed = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 1_000;
  if (!/^[A-Z][a-z]{2,8},? /.test(trimmed)) return null;
  const at = Date.parse(trimmed);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
