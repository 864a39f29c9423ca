import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import type { RecordReport } from '#contract/record.ts';
import { judgeLetter } from '#test/support/judged-letter.ts';
import { tamper } from '#test/support/tampered-record.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** As sdk/README.md tells users of bundlers: the one module of Node that is named is an empty one. */
const noFiles = {
  name: 'no-files',
  setup({ onResolve, onLoad }: Parameters<NonNullable<Parameters<typeof build>[0]['plugins']>[number]['setup']>[0]) {
    onResolve({ filter: /^node:fs\/promises$/ }, () => ({ path: 'no-files', namespace: 'no-files' }));
    onLoad({ filter: /.*/, namespace: 'no-files' }, () => ({ contents: 'export const readFile = undefined;' }));
  },
};

test('checkRecord runs where there is nothing but the web', { timeout: 60_000 }, async () => {
  const judged = await judgeLetter();
  await inFolder({}, async (folder) => {
    const outfile = join(folder, 'record.mjs');
    const bundled = await build({
      entryPoints: [join(root, 'sdk/record.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2024',
      minify: true,
      metafile: true,
      logLevel: 'error',
      plugins: [noFiles],
    });
    expect(Object.values(bundled.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    const check = tamper(judged, [{ in: 'inclusion', op: 'set' }]);
    const evidence = check.evidence?.map(({ name, bytes }) => ({ name, bytes: [...bytes] }));
    const input = join(folder, 'input.json');
    await writeFile(input, JSON.stringify({ ...check, evidence }));
    const wasm = join(root, 'node_modules/rregex/lib/rregex.wasm');
    const realm = join(root, 'test/support/browser-realm.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--experimental-vm-modules',
      '--no-warnings',
      realm,
      outfile,
      wasm,
      input,
    ]);
    const report = JSON.parse(stdout) as RecordReport;
    expect(report.steps).toEqual({
      form: 'valid',
      signature: 'valid',
      digests: 'valid',
      logic: 'valid',
      replay: 'undecidable',
      inclusion: 'valid',
    });
    expect(new Set(report.defects.map(({ code }) => code))).toEqual(new Set(['code_not_repeated']));
  });
});
