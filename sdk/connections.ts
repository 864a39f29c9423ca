import {
  type ConnectionCreate,
  type ConnectionUpdate,
  type ConnectionView,
  connectionListSchema,
  connectionSchema,
} from '#contract/requests/connections.ts';
import type { Transport } from './transport.ts';

export type { ConnectionCreate, ConnectionUpdate, ConnectionView };

/** Connections to providers of Operators (docs/spec/wire.md §8). No answer holds a secret. */
export function connectionCalls(transport: Transport) {
  const path = '/v1/operator-connections';
  const onePath = (connectionId: string) => `${path}/${encodeURIComponent(connectionId)}`;
  const headers = { 'content-type': 'application/json' };
  return {
    /** Not repeated by itself: when its answer is lost, the name may be taken already. */
    createConnection(connection: ConnectionCreate): Promise<ConnectionView> {
      const body = JSON.stringify(connection);
      return transport.call({ method: 'POST', path, headers, body, repeatable: false }, connectionSchema);
    },
    /** By name. */
    listConnections(): Promise<readonly ConnectionView[]> {
      return transport.call({ method: 'GET', path, repeatable: true }, connectionListSchema);
    },
    getConnection(connectionId: string): Promise<ConnectionView> {
      return transport.call({ method: 'GET', path: onePath(connectionId), repeatable: true }, connectionSchema);
    },
    /** What is left out stays. `status: 'active'` enables it again. */
    updateConnection(connectionId: string, change: ConnectionUpdate): Promise<ConnectionView> {
      const body = JSON.stringify(change);
      const request = { method: 'PATCH', path: onePath(connectionId), headers, body, repeatable: true } as const;
      return transport.call(request, connectionSchema);
    },
    /** Operators that name it deliver nothing until it is active again. */
    disableConnection(connectionId: string): Promise<ConnectionView> {
      return transport.call({ method: 'DELETE', path: onePath(connectionId), repeatable: true }, connectionSchema);
    },
  };
}
