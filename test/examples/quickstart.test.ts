import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { touchstone } from '#test/support/run-command.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../scripts/quickstart.ts', import.meta.url));

test('the quickstart works offline, shows good and bad work, and leaves nothing behind', {
  timeout: 60_000,
}, async () => {
  await inFolder({}, async (folder) => {
    const { code, out, err } = await touchstone([], { script, env: { TMPDIR: folder } });
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toContain('Every verdict is as expected');
    for (const word of ['✓ passed', '✗ failed', '? inconclusive']) expect(out).toContain(word);
    expect(out).toMatch(/letter:5-6\n +5 │ your unopened tin of Darjeeling/);
    expect(out).not.toContain('\u001b');
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a model that answers something else makes it fail', { timeout: 60_000 }, async () => {
  const nowhere = JSON.stringify({ judge: { provider: 'openai-compatible', base_url: 'http://127.0.0.1:65001/v1' } });
  const { code, out } = await touchstone([], { script, env: { TOUCHSTONE_DEPLOYMENTS: nowhere } });
  expect(code).toBe(1);
  expect(out).toContain('not as expected: keeps-policy is inconclusive, expected passed');
  expect(out).toContain('provider_unreachable');
});
