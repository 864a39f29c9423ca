import type { z } from 'zod';
import type { Permission } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import type { HostPorts } from '#service/ports/host.ts';

/** What every route may read of the request besides its body. */
interface CallBase {
  readonly ports: HostPorts;
  /** Path parameters, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | null;
  readonly request_id: string;
}

export interface Call<Query, Body> extends CallBase {
  readonly principal: Principal;
  readonly query: Query;
  readonly body: Body;
}

/** What a handler answers: a value written as JSON, a JSON text written as it is, or bytes. */
export type Answer =
  | { readonly status?: 200 | 201 | 202 | 400 | 401 | 503; readonly json: unknown }
  | { readonly status?: 200 | 201 | 202; readonly text: string }
  | { readonly bytes: Uint8Array; readonly content_type: string };

/** How the body is read. Limits are bytes and hold while reading. */
export type BodyRule<Body> =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType<Body>;
      readonly limit: number;
      /** Evidence and Cards have different rules for JSON (docs/spec/verification.md §1.6, §3.3). */
      readonly rules: 'evidence' | 'card' | 'plain';
    }
  | { readonly kind: 'form'; readonly limit: number }
  /** The whole body as it came. */
  | { readonly kind: 'bytes'; readonly limit: number }
  | { readonly kind: 'stream' };

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  /** Answer of success, for the OpenAPI document. */
  readonly success: { readonly status: number; readonly schema?: z.ZodType; readonly content_type?: string };
  readonly query?: z.ZodType;
}

/** A route as the table holds it. */
export interface Route extends RouteBase {
  readonly access: 'public' | { readonly any_of: readonly Permission[] };
  readonly body: BodyRule<unknown>;
  readonly handle: (call: Call<unknown, unknown>) => Promise<Answer>;
}

type Infer<Schema> = Schema extends z.ZodType<infer Value> ? Value : undefined;

/** A JSON route with a typed query and body. The two are checked by their schemas before the handler sees them. */
export function jsonRoute<Body, Query extends z.ZodType | undefined = undefined>(
  route: RouteBase & {
    readonly any_of: readonly Permission[];
    readonly body?: BodyRule<Body>;
    readonly query?: Query;
    readonly handle: (call: Call<Infer<Query>, Body>) => Promise<Answer>;
  },
): Route {
  const { any_of, body, handle, ...base } = route;
  return {
    ...base,
    access: { any_of },
    body: body ?? { kind: 'none' },
    handle: (call) => handle(call as Call<Infer<Query>, Body>),
  };
}

/** A route without a credential. `principal` must not be read in it. */
export function publicRoute<Body>(
  route: RouteBase & {
    readonly body?: BodyRule<Body>;
    readonly handle: (call: Omit<Call<undefined, Body>, 'principal'>) => Promise<Answer>;
  },
): Route {
  const { body, handle, ...base } = route;
  return {
    ...base,
    access: 'public',
    body: body ?? { kind: 'none' },
    handle: (call) => handle(call as Call<undefined, Body>),
  };
}
