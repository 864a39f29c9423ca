import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig, configSchema, environmentOf, loadConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';

describe('configuration', () => {
  let folder: string;
  const file = async (text: string): Promise<string> => {
    const path = join(folder, `${Math.random()}.yaml`);
    await writeFile(path, text);
    return path;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'touchstone-config-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has a default for everything', () => {
    expect(checkConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8787,
      data: './.touchstone',
      deployments: {},
      native: {},
      trace_settling_seconds: 2,
      retention_days: 400,
      activity_seconds: 86_400,
      allow_loopback_delivery: false,
      providers: { pager_duty: 'https://events.pagerduty.com', slack: 'https://slack.com' },
      legal_hold: false,
      keys: { required: false },
      limits: {
        background: 16,
        background_per_tenant: 4,
        cached_verifiers: 1000,
        execute_seconds: 60,
        stop_seconds: 10,
      },
    });
  });

  it('switches gRPC off from each of the three, over whatever port the ones before give', async () => {
    const TOUCHSTONE_GRPC_PORT = '50051';
    expect((await loadConfig(undefined, { TOUCHSTONE_GRPC_PORT }, {})).grpc_port).toBe(50_051);
    expect((await loadConfig(undefined, { TOUCHSTONE_GRPC_PORT }, { grpc_port: 'off' })).grpc_port).toBe('off');
    const path = await file('grpc_port: 50051\n');
    expect((await loadConfig(path, { TOUCHSTONE_GRPC_PORT: 'off' }, {})).grpc_port).toBe('off');
    expect(() => checkConfig({ grpc_port: 'on' })).toThrow('grpc_port');
    const settings = checkConfig({ port: 0, data: folder, grpc_port: 'off' });
    const host = await startHost(settings, { usual_grpc_port: 0, log: { info() {}, warn() {}, error() {} } });
    expect(host.grpc_port).toBeUndefined();
    await host.close();
  });

  it('reads the file, then the environment, then the command line', async () => {
    const path = await file('port: 9000\nhost: 127.0.0.2\ndata: /data\nlimits: {stop_seconds: 3}\n');
    const environment = {
      TOUCHSTONE_PORT: '9001',
      TOUCHSTONE_HOST: '127.0.0.3',
      TOUCHSTONE_KEYS_REQUIRED: 'true',
      TOUCHSTONE_LIMITS_CACHED_VERIFIERS: '7',
      TOUCHSTONE_DATA: '',
    };
    const config = await loadConfig(path, environment, { port: 9002, host: undefined });
    expect(config).toMatchObject({
      port: 9002,
      host: '127.0.0.3',
      data: '/data',
      keys: { required: true },
      limits: { cached_verifiers: 7, stop_seconds: 3 },
    });
  });

  it('takes deployments from the file or as text of a variable', async () => {
    const local = { provider: 'openai-compatible', base_url: 'http://127.0.0.1:9999/v1', api_key_env: 'MODEL_KEY' };
    const path = await file(`deployments:\n  local: ${JSON.stringify(local)}\n`);
    expect((await loadConfig(path, {})).deployments).toEqual({ local });
    const environment = { TOUCHSTONE_DEPLOYMENTS: JSON.stringify({ other: local }) };
    expect((await loadConfig(path, environment)).deployments).toEqual({ other: local });
  });

  it.each([
    ['an unknown setting', { colour: 'red' }, 'colour: unknown setting'],
    ['an unknown setting inside', { limits: { stop: 1 } }, 'limits.stop: unknown setting'],
    ['a port out of range', { port: 70_000 }, 'port: '],
    [
      'a key in the file',
      { deployments: { a: { provider: 'anthropic', base_url: 'https://x', api_key: 'secret' } } },
      'deployments.a.api_key: unknown setting',
    ],
    ['an unknown provider', { deployments: { a: { provider: 'oracle' } } }, 'deployments.a.provider: '],
  ])('refuses %s by its path', (_name, settings, message) => {
    expect(() => checkConfig(settings)).toThrow(message);
  });

  it.each([
    ['no map', '- 1\n', 'a map of settings is expected'],
    ['no YAML', 'a: [\n', ''],
    ['aliases', 'host: &a x\ndata: *a\n', ''],
    ['a repeated key', 'port: 1\nport: 2\n', ''],
  ])('refuses a file with %s', async (_name, text, message) => {
    await expect(loadConfig(await file(text), {})).rejects.toThrow(message);
  });

  it('refuses a file that is not there', async () => {
    await expect(loadConfig(join(folder, 'none.yaml'), {})).rejects.toThrow('cannot be read');
  });

  it('is documented setting by setting, each with its variable', async () => {
    const page = await readFile('docs/configuration.md', 'utf8');
    const settings = Object.entries(configSchema.shape).flatMap(([name]) =>
      Object.keys(environmentOf).filter((path) => path === name || path.startsWith(`${name}.`)),
    );
    expect(settings).toHaveLength(Object.keys(environmentOf).length);
    for (const path of settings) expect(page).toContain(`| \`${path}\` | \`${environmentOf[path]}\` |`);
  });
});
