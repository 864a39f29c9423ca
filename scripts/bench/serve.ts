import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';

/** The embedded host alone in a process, so that its memory can be told from the load's. */
const [data = ''] = process.argv.slice(2);
const host = await startHost(checkConfig({ port: 0, data }));
process.stdout.write(`${host.url}\n`);
process.on('SIGTERM', () => void host.close().then(() => process.exit(0)));
