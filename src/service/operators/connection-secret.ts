import type { ConnectionCreate, ConnectionUpdate } from '#contract/requests/connections.ts';
import type { Connection } from '../ports/connections.ts';

/** What is sealed of a connection (docs/spec/background.md §8). */
export type ConnectionSecret =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string };

type HttpAuth = Extract<ConnectionCreate, { provider: 'http' }>['auth'];

/** The secret that a request carries; null when it carries none. */
export function secretOf(request: ConnectionCreate | ConnectionUpdate): ConnectionSecret | null {
  switch (request.provider) {
    case 'slack':
      return request.bot_token === undefined ? null : { kind: 'token', token: request.bot_token };
    case 'pager_duty':
      return request.integration_key === undefined ? null : { kind: 'token', token: request.integration_key };
    case 'http':
      return request.auth === undefined ? null : secretOfAuth(request.auth);
    case undefined:
      return null;
  }
}

function secretOfAuth(auth: HttpAuth): ConnectionSecret {
  switch (auth.scheme) {
    case 'bearer':
      return { kind: 'token', token: auth.token };
    case 'header':
      return { kind: 'token', token: auth.value };
    case 'basic':
      return { kind: 'basic', username: auth.username, password: auth.password };
  }
}

/** What may be shown of an `auth`. */
export function shownAuth(auth: HttpAuth): NonNullable<Connection['auth']> {
  return auth.scheme === 'header' ? { scheme: 'header', name: auth.name } : { scheme: auth.scheme };
}

/** Null: not what was sealed, or nothing that can be sent in a header. */
export function readSecret(text: string): ConnectionSecret | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
  const sendable = (part: unknown): part is string => typeof part === 'string' && /^[\x20-\x7e]*$/.test(part);
  if (value.kind === 'token' && 'token' in value && sendable(value.token)) return { kind: 'token', token: value.token };
  if (value.kind !== 'basic' || !('username' in value && 'password' in value)) return null;
  const { username, password } = value;
  return sendable(username) && sendable(password) ? { kind: 'basic', username, password } : null;
}
