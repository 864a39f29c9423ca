import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';

/** Run as a process of its own, to be killed: prints its address and serves until then. */
const [data = ''] = process.argv.slice(2);
const silent = { info() {}, warn() {}, error() {} };
const host = await startHost(checkConfig({ port: 0, data }), { log: silent });
process.stdout.write(`${host.url}\n`);
