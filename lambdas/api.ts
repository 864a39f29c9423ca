import { buildApp } from '#http/app.ts';
import { corsOrigins } from './compose/cors-origins.ts';
import { hostPorts } from './compose/host.ts';
import { secretBox } from './compose/secret-box.ts';
import { serveHttp } from './compose/serve-http.ts';

/** Cards, evidence, keys and reads: every route but those that run or start checks. */
export const handler = serveHttp(buildApp(hostPorts({ secretBox })), corsOrigins());
