import { buildApp } from '#http/app.ts';
import { corsOrigins } from './compose/cors-origins.ts';
import { hostPorts } from './compose/host.ts';
import { serveHttp } from './compose/serve-http.ts';
import { waking } from './compose/waking.ts';

/** Enqueue and cancel: the routes that may start background work. */
export const handler = serveHttp(buildApp(hostPorts(waking)), corsOrigins());
