import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';

it.each([
  [{}, 1],
  [{ MODEL_KEY: '' }, 1],
  [{ MODEL_KEY: 'k3y' }, 0],
])('with the environment %j a host warns %i times of a missing model key', async (environment, warnings) => {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-test-'));
  const warned: string[] = [];
  const log = {
    info() {},
    warn: (message: string, fields?: object) => warned.push(JSON.stringify([message, fields])),
    error() {},
  };
  const judge = { provider: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'MODEL_KEY' };
  const host = await startHost(checkConfig({ port: 0, data, deployments: { judge } }), { log, environment });
  await host.close();
  await rm(data, { recursive: true, force: true });
  expect(warned.filter((line) => line.includes('MODEL_KEY'))).toHaveLength(warnings);
  expect(warned.join()).not.toContain('k3y');
});
