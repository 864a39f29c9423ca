import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../../lib/settings.ts';

const read = (given: Readonly<Record<string, unknown>>) => readSettings((name) => given[name]);

describe('settings', () => {
  it('need nothing', () => {
    expect(read({})).toMatchObject({ name: 'touchstone', tenant: 'main', retention_days: 400, object_lock: 'off' });
  });

  it('are text on a command line', () => {
    const settings = read({
      retention_days: '30',
      cors_origins: 'https://a.example,https://b.example:8443',
      deployments: '{"judge":{"provider":"bedrock","region":"eu-west-1"}}',
      reserved_concurrency: '{"models":20}',
    });
    expect(settings.retention_days).toBe(30);
    expect(settings.cors_origins).toEqual(['https://a.example', 'https://b.example:8443']);
    expect(settings.deployments.judge).toEqual({ provider: 'bedrock', region: 'eu-west-1' });
    expect(settings.reserved_concurrency.models).toBe(20);
  });

  it.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['a name that no stack can have', { name: 'My_Stack' }, ['name']],
    ['a domain without its certificate', { domain: 'a.example.com' }, ['domain']],
    ['a web page without TLS', { cors_origins: 'http://a.example' }, ['cors_origins']],
    ['every origin', { cors_origins: '*' }, ['cors_origins']],
    ['days that the logs do not know', { log_retention_days: 91 }, ['log_retention_days']],
    ['a route of no provider', { deployments: '{"judge":{"provider":"x"}}' }, ['deployments']],
    ['routes that are no JSON', { deployments: '{' }, ['deployments']],
    ['an unknown function', { reserved_concurrency: '{"x":1}' }, ['reserved_concurrency']],
    ['several at once', { tenant: 'A', alarm_email: 'x' }, ['tenant', 'alarm_email']],
    [
      'more routes than a function can be told',
      {
        deployments: Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [`judge-${index}`, { provider: 'bedrock', region: 'eu-west-1' }]),
        ),
      },
      ['deployments'],
    ],
  ])('refuse %s, and say where', (_name, given, paths) => {
    const refused = (() => {
      try {
        return read(given);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(SettingsError);
    const named = (refused as Error).message.split('\n').map((line) => line.split(/[.:]/)[0]);
    expect(named).toEqual(paths);
  });
});
