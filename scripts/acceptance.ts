import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withKeyFolder } from '#local/api-keys.ts';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';

/**
 * `npm run acceptance -- [--url URL] [--no-models] [filters]`: the black-box suite of test/acceptance against a running
 * host. TOUCHSTONE_API_KEY holds an administrator's key of it, TOUCHSTONE_OTHER_TENANT_API_KEY one of another tenant.
 * Without a URL (or TOUCHSTONE_URL) an embedded host is started for it. The host must route the model deployment `acceptance` to
 * http://127.0.0.1:18099/v1 (another port: TOUCHSTONE_MODEL_PORT), unless models are switched off.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, 'no-models': { type: 'boolean', default: false } },
});
const modelPort = process.env.TOUCHSTONE_MODEL_PORT ?? '18099';

interface Target {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function embeddedTarget(): Promise<Target> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-acceptance-'));
  const [main, other] = await withKeyFolder(data, (keys) =>
    Promise.all(['main', 'other'].map((tenant) => keys.create({ tenant, name: 'acceptance', role: 'admin' }))),
  );
  const acceptance = { provider: 'openai-compatible', base_url: `http://127.0.0.1:${modelPort}/v1` };
  const silent = { info() {}, warn() {}, error() {} };
  const host = await startHost(checkConfig({ port: 0, data, deployments: { acceptance } }), { log: silent });
  return {
    environment: {
      TOUCHSTONE_URL: host.url,
      TOUCHSTONE_API_KEY: main?.text ?? '',
      TOUCHSTONE_OTHER_TENANT_API_KEY: other?.text ?? '',
    },
    async close() {
      await host.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

function runSuite(environment: Readonly<Record<string, string>>): Promise<number> {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '-c', 'test/acceptance/vitest.config.ts', ...positionals], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...environment,
      TOUCHSTONE_MODEL_PORT: modelPort,
      TOUCHSTONE_ACCEPTANCE_MODELS: values['no-models'] ? 'off' : 'on',
    },
  });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

const url = values.url ?? process.env.TOUCHSTONE_URL;
console.log(url === undefined ? 'Target: an embedded host of its own' : `Target: ${url}`);
const target: Target =
  url === undefined ? await embeddedTarget() : { environment: { TOUCHSTONE_URL: url }, close: async () => {} };
try {
  process.exitCode = await runSuite(target.environment);
} finally {
  await target.close();
}
