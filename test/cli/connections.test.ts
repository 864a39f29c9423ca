import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';
import { touchstone } from '#test/support/run-command.ts';

describe('touchstone connections', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await makeHost();
  });
  afterAll(() => host[Symbol.asyncDispose]());
  const run = (words: readonly string[], input?: string, env: Readonly<Record<string, string>> = {}) =>
    touchstone(['connections', ...words], {
      env: { TOUCHSTONE_URL: host.url, ...env },
      ...(input === undefined ? {} : { input }),
    });

  test('creates with a secret from standard input, lists, updates, disables', async () => {
    const slack = ['create', 'desk-slack', '--provider', 'slack', '--workspace', 'T1'];
    const created = await run(slack, 'xoxb-secret\n');
    expect(created, created.err).toMatchObject({ code: 0, err: '' });
    expect(created.out).toMatch(/^[\da-f-]{36} {2}slack {7}active {4}desk-slack {2}T1\n$/);
    const again = await run([...slack, '--json'], 'xoxb-secret');
    expect(again.code).toBe(3);
    expect(JSON.parse(again.out).error).toMatchObject({ code: 'WYRD_OPERATOR_409_CONNECTION_CONFLICT', status: 409 });
    const disabled = await run(['disable', 'desk-slack', '--json']);
    expect(JSON.parse(disabled.out)).toMatchObject({ name: 'desk-slack', status: 'disabled', workspace_id: 'T1' });
    const updated = await run(
      ['update', 'desk-slack', '--enable', '--workspace', 'T2', '--new-secret', '--json'],
      'new',
    );
    expect(JSON.parse(updated.out)).toMatchObject({ status: 'active', workspace_id: 'T2' });
    const listed = await run(['list']);
    expect(listed.out).toContain('desk-slack  T2\n');
    for (const { out, err } of [created, again, disabled, updated, listed]) expect(out + err).not.toContain('secret');
  });

  test('takes the secret of a variable', async () => {
    const words = [
      'create',
      'hooks',
      '--provider',
      'http',
      '--origin',
      'https://hooks.example.com/',
      '--scheme',
      'basic',
    ];
    const env = { HOOK_PASSWORD: 'pw-secret' };
    const created = await run([...words, '--username', 'u', '--secret-env', 'HOOK_PASSWORD', '--json'], undefined, env);
    expect(JSON.parse(created.out)).toMatchObject({ origin: 'https://hooks.example.com', auth: { scheme: 'basic' } });
    expect(created.out).not.toContain('pw-secret');
  });

  test.each([
    [['create', 'desk-pager', '--provider', 'pager_duty'], /no secret: pipe it in/],
    [['create', 'desk-pager', '--provider', 'pager_duty', '--secret-env', 'NOT_SET'], /not set/],
    [['create', 'desk-pager', '--provider', 'email'], /choices/],
    [['create', 'desk-pager', '--provider', 'pager_duty', '--secret', 'x'], /unknown option/],
    [['disable', 'nobody'], /no connection nobody/],
  ])('%j is refused', async (words, message) => {
    const { code, err } = await run(words);
    expect([code, err]).toEqual([3, expect.stringMatching(message)]);
  });
});
