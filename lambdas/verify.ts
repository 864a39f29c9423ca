import { buildApp } from '#http/app.ts';
import { drive } from '#service/drive/drive.ts';
import { corsOrigins } from './compose/cors-origins.ts';
import { effectPorts, hostPorts } from './compose/host.ts';
import { serveHttp } from './compose/serve-http.ts';

const effects = effectPorts();

/** Execute: drives the run in this process and calls the functions of the heavy libraries for its effects. */
export const handler = serveHttp(buildApp(hostPorts((input) => drive(effects, input))), corsOrigins());
