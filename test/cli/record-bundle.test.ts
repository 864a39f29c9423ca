import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { desk, makeHost, type TestHost, toneSpec, uidsOf } from '#test/support/embedded-host.ts';
import { touchstone } from '#test/support/run-command.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

async function judged(host: TestHost): Promise<string> {
  const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, toneSpec)));
  const inputs = { answer: { kind: 'json', value: 'a sure thing, 4.0' } };
  const body = { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'], inputs };
  return (await host.call('POST', '/v1/verification/execute', { body })).json.execution_id as string;
}

describe('touchstone record export', () => {
  test('writes a folder that is valid by itself, and in which a changed file shows', { timeout: 60_000 }, async () => {
    await using host = await makeHost();
    const id = await judged(host);
    await inFolder({}, async (folder) => {
      const env = { TOUCHSTONE_URL: host.url };
      const run = (...words: string[]) => touchstone(['record', ...words], { cwd: folder, env });
      const exported = await run('export', id, '--out', 'bundle');
      expect(exported).toMatchObject({ code: 0, out: '' });
      const names = await readdir(join(folder, 'bundle'), { recursive: true });
      expect(names).toEqual(expect.arrayContaining(['README.md', 'record.json', 'keys.json', 'result.json']));
      expect(names).toContain('evidence/answer.json');
      expect(names.filter((name) => name.startsWith('cards/')).length).toBeGreaterThanOrEqual(3);
      expect(await readFile(join(folder, 'bundle/README.md'), 'utf8')).toContain('touchstone record verify .');

      const checked = await run('verify', 'bundle');
      expect(checked.out).toMatch(/^valid\n(?: {2}\w+ +valid\n){6}$/);
      expect(checked).toMatchObject({ code: 0, err: expect.stringContaining('compare them with keys from elsewhere') });

      await writeFile(join(folder, 'bundle/evidence/answer.json'), '"another thing"');
      expect((await run('verify', 'bundle')).code).not.toBe(0);
      expect(await run('export', id, '--out', 'bundle')).toMatchObject({ code: 3 });
      expect(await run('export', '../x', '--out', 'other')).toMatchObject({ code: 3 });
      const unknown = '01a22ffd-497f-75b9-b2e2-fb268eeb824c';
      expect(await run('export', unknown, '--out', 'other')).toMatchObject({
        code: 3,
        err: expect.stringContaining('TOUCHSTONE_404_RECORD_NOT_FOUND'),
      });
    });
  });

  test('writes a tar file that other programs read, the same bytes for the same record', async () => {
    await using host = await makeHost();
    const id = await judged(host);
    await inFolder({}, async (folder) => {
      const run = (...words: string[]) =>
        touchstone(['record', ...words], { cwd: folder, env: { TOUCHSTONE_URL: host.url, TMPDIR: folder } });
      await run('export', id, '--out', 'one.tar');
      await run('export', id, '--out', 'two.tar');
      expect(await readFile(join(folder, 'one.tar'))).toEqual(await readFile(join(folder, 'two.tar')));
      execFileSync('tar', ['-xf', 'one.tar', '--one-top-level=out'], { cwd: folder });
      expect((await run('verify', 'out')).code).toBe(0);
      const checked = await run('verify', 'one.tar');
      expect(checked.out).toMatch(/^valid\n(?: {2}\w+ +valid\n){6}$/);
      const [whole] = [await readFile(join(folder, 'one.tar'))];
      await writeFile(join(folder, 'cut.tar'), whole.subarray(0, 900));
      expect((await run('verify', 'cut.tar')).code).toBe(3);
      expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^touchstone-bundle-/));
    });
  });

  test('says what is missing when the result was erased, and the record still holds', async () => {
    await using host = await makeHost();
    const id = await judged(host);
    await host.call('POST', `/v1/verification/executions/${id}/erase`);
    await inFolder({}, async (folder) => {
      const run = (...words: string[]) =>
        touchstone(['record', ...words], { cwd: folder, env: { TOUCHSTONE_URL: host.url } });
      const exported = await run('export', id, '--out', 'bundle');
      expect(exported.err).toContain('The result is no longer held');
      const checked = await run('verify', 'bundle');
      // What is not held is not checked; nothing that is held is wrong.
      expect(checked.code).toBe(0);
      expect(checked.out).toMatch(/ {2}replay +not checked\n/);
      expect(checked.out).toMatch(/ {2}signature +valid\n/);
      expect(checked.out).toMatch(/ {2}inclusion +valid\n/);
    });
  });
});

describe('touchstone keys rotate', () => {
  test('says which key begins when, and refuses a second rotation at once', async () => {
    await inFolder({}, async (folder) => {
      const rotate = () => touchstone(['keys', 'rotate', '--data', 'data', '--json'], { cwd: folder });
      const rotated = JSON.parse((await rotate()).out);
      expect(rotated).toEqual({ kid: expect.stringMatching(/^ed25519:/), valid_from: expect.any(String) });
      expect(Date.parse(rotated.valid_from)).toBeGreaterThan(Date.now());
      expect(await rotate()).toMatchObject({ code: 3 });
    });
  });
});
