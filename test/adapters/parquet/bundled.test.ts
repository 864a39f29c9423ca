import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from '../../../lib/bundle.ts';

const run = promisify(execFile);
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/parquet/${name}.parquet`, import.meta.url));

/** What a function does, in a process without anything else of the project. */
const script = `
  import { readFileSync } from 'node:fs';
  const { parquetFiles } = await import(process.argv[1]);
  for (const path of process.argv.slice(2)) {
    const bytes = readFileSync(path);
    const read = async (from, to) => bytes.subarray(from, to);
    const table = await parquetFiles.open({ size_bytes: bytes.byteLength, read });
    let rows = 0;
    try {
      for (const column of table.columns) for await (const values of table.column(column)) rows += values.length;
      console.log(rows);
    } catch (error) {
      console.log(error.message);
    }
    await table[Symbol.asyncDispose]();
  }`;

it('the reader of a bundled function reads every codec, and no other', { timeout: 60_000 }, async () => {
  const { folder } = bundle({
    entry: 'src/adapters/parquet/read-parquet.ts',
    workers: ['src/adapters/parquet/parquet-reader.ts'],
  });
  expect(readdirSync(folder)).toContain('parquet-reader.mjs');
  const files = ['pyarrow-none', 'pyarrow-snappy', 'pyarrow-gzip', 'pyarrow-zstd', 'pyarrow-lz4'].map(fixture);
  const args = ['--input-type=module', '-e', script, `${folder}/index.mjs`, ...files];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env: {} });
  expect(stdout.trim().split('\n')).toEqual(['6000', '6000', '6000', '6000', 'the file cannot be read']);
});
