import { type OperatorSpec, operatorSpecSchema } from '#contract/cards/operator.ts';
import { isConnectionUsable } from '#engine/declare/submission/operator-rules.ts';
import { setAlarm } from '../alarms/set-alarms.ts';
import type { ConnectionProvider, Connections, SecretBox, StoredConnection } from '../ports/connections.ts';
import type { Deliver } from '../ports/deliver.ts';
import { type Dispatch, type Dispatches, type DispatchPlace, dispatchDueId } from '../ports/dispatches.ts';
import type { Alarms } from '../ports/due.ts';
import type { Registry } from '../ports/registry.ts';
import { isStoreFailure } from '../ports/store-failure.ts';
import type { Clock, Ids, Log } from '../ports.ts';
import { buildRequest, type Credential, type ProviderUrls } from './build-request.ts';
import { readSecret } from './connection-secret.ts';
import { type AttemptOutcome, deadlineMs, endAfter, judgeReply, maxAttempts } from './judge-reply.ts';
import { isRenderFailure } from './render.ts';

export interface DeliverPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly registry: Registry;
  readonly dispatches: Dispatches;
  readonly connections: Connections;
  readonly secretBox: SecretBox;
  readonly deliver: Deliver;
  readonly alarms: Alarms;
  readonly providerUrls: ProviderUrls;
}

/** An attempt takes at most 30 s; the rest is for the stores. */
const leaseMs = 60_000;

/**
 * One attempt of a dispatch that is due (docs/spec/background.md §9). Does nothing when somebody else makes it or it has
 * ended. Throws when a store fails or the signal aborts: the attempt is made again when its lease has lapsed.
 */
export async function deliverDispatch(
  ports: DeliverPorts,
  tenant: string,
  place: DispatchPlace,
  signal: AbortSignal,
): Promise<void> {
  const now = ports.clock.now();
  const lease = ports.ids.next();
  const dispatch = await ports.dispatches.claim(tenant, place, { lease, now, lease_until: now + leaseMs });
  if (dispatch === null) return;
  const late = dispatch.attempts > maxAttempts || now > dispatch.created_at + deadlineMs;
  const outcome: AttemptOutcome = late
    ? { kind: 'terminal', error: dispatch.error ?? 'attempt_timed_out' }
    : await attempt(ports, tenant, dispatch, signal);
  const end = endAfter(dispatch, outcome, ports.clock.now());
  const written = await ports.dispatches.end(tenant, place, lease, end);
  if (!written) return;
  ports.log.info('delivery attempt', {
    dispatch_id: place.dispatch_id,
    attempt: dispatch.attempts,
    status: end.status,
    ...(end.status === 'delivered' ? {} : { error: end.error }),
  });
  if (end.status !== 'retrying') return;
  await setAlarm(ports, { tenant, kind: 'dispatch', id: dispatchDueId(place), due_at: end.due_at });
}

async function attempt(
  ports: DeliverPorts,
  tenant: string,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const spec = await findOperator(ports.registry, tenant, dispatch);
  if (spec === null) return { kind: 'terminal', error: 'operator_unavailable' };
  const credential = await findCredential(ports, tenant, spec);
  if (credential !== null && 'error' in credential) return credential;
  try {
    const request = buildRequest(spec, dispatch, credential, ports.providerUrls);
    return judgeReply(spec, await ports.deliver.send(request, signal));
  } catch (error) {
    if (isRenderFailure(error)) return { kind: 'terminal', error: 'invalid_request' };
    throw error;
  }
}

/** The frozen body, or the Card as it is now; null when the Card is gone. */
async function findOperator(registry: Registry, tenant: string, { operator }: Dispatch): Promise<OperatorSpec | null> {
  if (operator.body !== undefined) return operatorSpecSchema.safeParse(operator.body).data ?? null;
  const card = typeof operator.uid === 'string' ? await registry.byUid(tenant, operator.uid) : null;
  const isLive = card?.kind === 'Operator' && (card.status === 'active' || card.status === 'deprecated');
  return isLive ? (operatorSpecSchema.safeParse(card.spec).data ?? null) : null;
}

/**
 * The connection that the Operator names, looked at before every attempt, with its secret (docs/spec/background.md §8.3).
 * Null: it names none.
 */
async function findCredential(
  ports: DeliverPorts,
  tenant: string,
  spec: OperatorSpec,
): Promise<Credential | null | Exclude<AttemptOutcome, { kind: 'delivered' }>> {
  const named = namedConnection(spec);
  if (named === null) return null;
  const connection = await ports.connections.byName(tenant, named.provider, named.name);
  if (connection === null || !isConnectionUsable(spec, () => connection))
    return { kind: 'terminal', error: 'connection_unavailable' };
  return openCredential(ports.secretBox, tenant, connection);
}

async function openCredential(
  box: SecretBox,
  tenant: string,
  { sealed, ...connection }: StoredConnection,
): Promise<Credential | Exclude<AttemptOutcome, { kind: 'delivered' }>> {
  try {
    const opened = await box.open({ tenant, connection_id: connection.connection_id }, sealed);
    const secret = opened === null ? null : readSecret(opened);
    const wanted = connection.auth?.scheme === 'basic' ? 'basic' : 'token';
    return secret?.kind === wanted ? { connection, secret } : { kind: 'terminal', error: 'credential_invalid' };
  } catch (error) {
    if (isStoreFailure(error)) return { kind: 'retryable', error: 'credential_store_unavailable' };
    throw error;
  }
}

function namedConnection(spec: OperatorSpec): { readonly provider: ConnectionProvider; readonly name: string } | null {
  if (spec.kind === 'notify') return { provider: spec.channel.kind, name: spec.channel.connection };
  return spec.auth === undefined ? null : { provider: 'http', name: spec.auth.connection };
}
