import { buildApp } from '#http/app.ts';
import { drive } from '#service/drive/drive.ts';
import { agentTools } from './compose/agent-tools.ts';
import { corsOrigins } from './compose/cors-origins.ts';
import { effectPorts, hostPorts } from './compose/host.ts';
import { serveHttp } from './compose/serve-http.ts';
import { signer } from './compose/signer.ts';
import { waking } from './compose/waking.ts';

const effects = effectPorts(agentTools());

const ports = hostPorts({ drive: (input) => drive(effects, input), signer, ...waking });

/** Execute: drives the run in this process and calls the functions of the heavy libraries for its effects. Checkpoints on demand. */
export const handler = serveHttp(buildApp(ports), corsOrigins());
