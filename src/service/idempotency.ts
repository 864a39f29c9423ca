import { createHash } from 'node:crypto';
import { Problem } from '#contract/errors.ts';
import { isIdempotencyKey } from '#contract/ids.ts';
import type { Json } from '#contract/json.ts';
import { canonical } from '#engine/values/canonical.ts';
import type { Idempotency, IdempotencyRow, IdempotencyScope } from './ports/idempotency.ts';
import type { Clock } from './ports.ts';

/** docs/spec/background.md §2.3. */
const keyLifeMs = 7 * 24 * 3_600_000;
/** How long a second call waits for the first one under the same key. */
const waitMs = 5_000;
/** Times that a call is decided anew because another process stored first what it wanted to store. */
const maxRaces = 5;

export interface IdempotencyPorts {
  readonly clock: Clock;
  readonly idempotency: Idempotency;
  readonly callsInFlight: Map<string, Promise<unknown>>;
}

/** One call under a key. */
export interface KeyedCall {
  readonly tenant: string;
  readonly principal: string;
  readonly method: string;
  readonly path: string;
  /** As sent; null when the header is absent. */
  readonly key: string | null;
  readonly body: Json;
}

/** The row to store together with the call's effect, once its answer is known. */
export type ToRow = (answer: string) => IdempotencyRow;

/** Decides and stores. Null: another process stored first, nothing was written, and all is decided again. */
export type RunOnce = (toRow: ToRow) => Promise<string | null>;

export interface KeyedAnswer {
  readonly answer: string;
  /** The answer of an earlier call under the same key. */
  readonly replayed: boolean;
}

/**
 * Runs a call at most once a key: a repeat answers what the first one answered, another body under the key is refused,
 * and a refused first call leaves the key free (docs/spec/background.md §2). The key is read again before each try, since
 * what was stored first may be the key itself, by another process.
 */
export async function runOnce(ports: IdempotencyPorts, call: KeyedCall, run: RunOnce): Promise<KeyedAnswer> {
  const scope = scopeOf(call);
  const digest = createHash('sha256').update(canonical(call.body)).digest('hex');
  const flight = [call.tenant, scope.principal, scope.method, scope.path, scope.key].join(' ');
  for (let first = ports.callsInFlight.get(flight); first; first = ports.callsInFlight.get(flight)) {
    await waitFor(ports.clock, first);
  }
  const running = runUntilStored(ports, { tenant: call.tenant, scope, digest }, run);
  ports.callsInFlight.set(flight, running);
  try {
    return await running;
  } finally {
    ports.callsInFlight.delete(flight);
  }
}

interface KeyedBody {
  readonly tenant: string;
  readonly scope: IdempotencyScope;
  readonly digest: string;
}

async function runUntilStored(
  ports: IdempotencyPorts,
  { tenant, scope, digest }: KeyedBody,
  run: RunOnce,
): Promise<KeyedAnswer> {
  for (let race = 0; race < maxRaces; race += 1) {
    const stored = await ports.idempotency.find(tenant, scope, ports.clock.now() - keyLifeMs);
    if (stored) return replay(stored, digest);
    const created_at = ports.clock.now();
    const answer = await run((text) => ({ ...scope, body_sha256: digest, answer: text, created_at }));
    if (answer !== null) return { answer, replayed: false };
  }
  throw new Problem('WYRD_SPEC_409_CONFLICT', 'other calls kept storing first what this one wanted to store');
}

function scopeOf(call: KeyedCall): IdempotencyScope {
  if (call.key === null || call.key === '') {
    throw new Problem('WYRD_REGISTRY_400_IDEMPOTENCY_KEY_REQUIRED', 'an idempotency-key header is needed');
  }
  if (!isIdempotencyKey(call.key)) {
    throw new Problem('WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID', 'a key has 8 to 256 characters without white space');
  }
  return { principal: call.principal, method: call.method, path: call.path, key: call.key };
}

function replay(stored: IdempotencyRow, digest: string): KeyedAnswer {
  if (stored.body_sha256 === digest) return { answer: stored.answer, replayed: true };
  throw new Problem('WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT', 'the key was used with another body');
}

/** Until the first call is settled either way, at most five seconds. */
async function waitFor(clock: Clock, first: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  const settled = first.then(
    () => true,
    () => true,
  );
  try {
    const done = await Promise.race([settled, clock.sleep(waitMs, limit.signal).then(() => false)]);
    if (!done) throw new Problem('WYRD_SPEC_409_CONFLICT', 'a call under this key is still under way');
  } finally {
    limit.abort();
  }
}
