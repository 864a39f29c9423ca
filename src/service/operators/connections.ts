import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { ConnectionCreate, ConnectionUpdate } from '#contract/requests/connections.ts';
import { headerNameProblem } from '#engine/declare/submission/operator-rules.ts';
import type { Principal } from '../auth/principal.ts';
import type { Connection, Connections, SecretBox, SecretPlace, StoredConnection } from '../ports/connections.ts';
import { isStoreFailure } from '../ports/store-failure.ts';
import type { Clock, Ids } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { type ConnectionSecret, secretOf, shownAuth } from './connection-secret.ts';
import { normaliseOrigin } from './normalise-origin.ts';

export interface ConnectionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly connections: Connections;
  readonly secretBox: SecretBox;
}

/** docs/spec/wire.md §8. A repeated create is a conflict on (provider, name). */
export async function createConnection(
  ports: ConnectionPorts,
  principal: Principal,
  request: ConnectionCreate,
): Promise<Connection> {
  const { tenant } = principal;
  const connection_id = ports.ids.next();
  const at = toRfc3339(ports.clock.now());
  const { provider, name } = request;
  const shown = { connection_id, name, provider, ...fieldsOf(request) };
  const sealed = await seal(ports.secretBox, { tenant, connection_id }, secretOf(request));
  const connection: Connection = { ...shown, status: 'active', created_at: at, updated_at: at };
  if (await ports.connections.create(tenant, { ...connection, sealed })) return connection;
  throw new Problem('WYRD_OPERATOR_409_CONNECTION_CONFLICT', `a ${provider} connection of that name exists`);
}

/** By name. */
export function listConnections(ports: ConnectionPorts, principal: Principal): Promise<readonly Connection[]> {
  return ports.connections.list(principal.tenant);
}

/** Another tenant's id is an unknown one. */
export async function readConnection(
  ports: ConnectionPorts,
  principal: Principal,
  connectionId: string,
): Promise<Connection> {
  return shownOf(await requireConnection(ports, principal, connectionId));
}

export function disableConnection(
  ports: ConnectionPorts,
  principal: Principal,
  connectionId: string,
): Promise<Connection> {
  return change(ports, principal, connectionId, async (stored) => ({ ...stored, status: 'disabled' }));
}

/** What the request leaves out stays; so does the name. */
export function updateConnection(
  ports: ConnectionPorts,
  principal: Principal,
  connectionId: string,
  request: ConnectionUpdate,
): Promise<Connection> {
  return change(ports, principal, connectionId, async (stored) => {
    if (request.provider !== undefined && request.provider !== stored.provider)
      throw invalid('provider', `the connection is one of ${stored.provider}`);
    const secret = secretOf(request);
    const place = { tenant: principal.tenant, connection_id: stored.connection_id };
    return {
      ...stored,
      ...fieldsOf(request),
      ...(request.status === undefined ? {} : { status: request.status }),
      ...(secret === null ? {} : { sealed: await seal(ports.secretBox, place, secret) }),
    };
  });
}

/** Writers at once are rare: whoever comes second decides again on what is there now. */
const tries = 5;

async function change(
  ports: ConnectionPorts,
  principal: Principal,
  connectionId: string,
  changed: (stored: StoredConnection) => Promise<StoredConnection>,
): Promise<Connection> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const stored = await requireConnection(ports, principal, connectionId);
    // Two changes of one millisecond have two times: the time is what a writer compares.
    const updated_at = toRfc3339(Math.max(ports.clock.now(), Date.parse(stored.updated_at) + 1));
    const next = { ...(await changed(stored)), updated_at };
    if (await ports.connections.replace(principal.tenant, next, stored.updated_at)) return shownOf(next);
  }
  throw new Problem('WYRD_OPERATOR_409_CONNECTION_CONFLICT', 'the connection is being changed by others');
}

async function requireConnection(
  { connections }: ConnectionPorts,
  { tenant }: Principal,
  connectionId: string,
): Promise<StoredConnection> {
  const found = isUuidV7(connectionId) ? await connections.find(tenant, connectionId) : null;
  if (found) return found;
  throw new Problem('WYRD_OPERATOR_404_CONNECTION_NOT_FOUND', 'no such connection');
}

function shownOf({ sealed: _sealed, ...connection }: StoredConnection): Connection {
  return connection;
}

/** The fields of one provider that may be shown, as far as the request has them. */
function fieldsOf(request: ConnectionCreate | ConnectionUpdate): Pick<Connection, 'workspace_id' | 'origin' | 'auth'> {
  if (request.provider === 'slack')
    return request.workspace_id === undefined ? {} : { workspace_id: request.workspace_id };
  if (request.provider !== 'http') return {};
  const { origin, auth } = request;
  const problem = auth?.scheme === 'header' ? headerNameProblem(auth.name) : undefined;
  if (problem !== undefined) throw invalid('auth.name', problem);
  return {
    ...(origin === undefined ? {} : { origin: requireOrigin(origin) }),
    ...(auth === undefined ? {} : { auth: shownAuth(auth) }),
  };
}

function requireOrigin(text: string): string {
  const origin = normaliseOrigin(text);
  if (origin !== null) return origin;
  throw invalid('origin', 'expected https, or http to a loopback host, and nothing after the host and port');
}

/** Names the field, never its value: a secret may stand in the wrong place. */
function invalid(field: string, message: string): Problem {
  return new Problem('WYRD_OPERATOR_400_INVALID_CONNECTION', `${field}: ${message}`, { field });
}

/** Bytes that every host can seal. */
const longestSecret = 4_096;

async function seal(box: SecretBox, place: SecretPlace, secret: ConnectionSecret | null): Promise<string> {
  const text = JSON.stringify(secret);
  if (Buffer.byteLength(text) > longestSecret) throw invalid('auth', 'the secret is too long');
  try {
    return await box.seal(place, text);
  } catch (error) {
    throw isStoreFailure(error) ? keyUnavailable(error) : error;
  }
}

function keyUnavailable(cause: unknown): Problem {
  const detail = 'the key that encrypts connections is not available';
  return new Problem('WYRD_OPERATOR_503_KEY_UNAVAILABLE', detail, undefined, { cause });
}
