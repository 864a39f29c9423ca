import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Headers, pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { readArchive } from '#adapters/extract/archive/read-archive.ts';
import { zeros } from '#test/support/documents/fixtures.ts';
import { makeZip } from '#test/support/documents/make-zip.ts';

type Entry = Headers & { readonly content?: string | Buffer };

async function makeTar(...entries: readonly Entry[]): Promise<Buffer> {
  const packing = pack();
  for (const { content, ...header } of entries) packing.entry(header, content ?? '');
  packing.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packing) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const tarGz = async (...entries: readonly Entry[]) => gzipSync(await makeTar(...entries));

describe('readArchive', () => {
  test('gives back the files of a ZIP', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}\.txt$/), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(names, fc.string({ unit: 'grapheme' }), fc.boolean(), async (paths, content, stored) => {
        const read = await readArchive('zip', makeZip(paths.map((name) => ({ name, content, stored }))));
        expect([...read.keys()]).toEqual(paths);
        for (const bytes of read.values()) expect(Buffer.from(bytes).toString()).toBe(content);
      }),
      { numRuns: 50 },
    );
  });

  test('gives back the files of a tar, without `./` and folders', async () => {
    const bytes = await tarGz(
      { name: './', type: 'directory' },
      { name: './src', type: 'directory' },
      { name: './src/a.py', content: 'print(1)' },
      { name: `${'long/'.repeat(60)}b.txt`, content: 'b' },
    );
    const files = [...(await readArchive('tar_gz', bytes))];
    expect(files.map(([name, content]) => [name, Buffer.from(content).toString()])).toEqual([
      ['src/a.py', 'print(1)'],
      [`${'long/'.repeat(60)}b.txt`, 'b'],
    ]);
  });

  test.each([
    ['a path above', { name: '../a', content: 'x' }],
    ['a path that climbs inside', { name: 'a/../../b', content: 'x' }],
    ['an absolute path', { name: '/etc/a', content: 'x' }],
    ['a link', { name: 'a', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'a', type: 'link', linkname: '/etc/passwd' }],
    ['a device', { name: 'a', type: 'character-device' }],
    ['a pipe', { name: 'a', type: 'fifo' }],
  ] as const)('refuses %s in a tar', async (_title, entry) => {
    await expect(readArchive('tar_gz', await tarGz(entry))).rejects.toMatchObject({ code: 'extract_unreadable' });
  });

  test.each([
    [
      'a name twice',
      [
        { name: 'a', content: 'x' },
        { name: 'a', content: 'y' },
      ],
    ],
    [
      'a file as folder',
      [
        { name: 'a', content: 'x' },
        { name: 'a/b', content: 'y' },
      ],
    ],
    [
      'a folder as file',
      [
        { name: 'a/b', content: 'x' },
        { name: 'a', content: 'y' },
      ],
    ],
  ])('refuses %s', async (_title, entries) => {
    const expected = { code: 'extract_unreadable' };
    await expect(readArchive('tar_gz', await tarGz(...entries))).rejects.toMatchObject(expected);
    await expect(readArchive('zip', makeZip(entries))).rejects.toMatchObject(expected);
  });

  test.each(['zip', 'tar_gz'] as const)('refuses what is no %s', async (format) => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('plain text'), Buffer.alloc(2048)])
      await expect(readArchive(format, bytes)).rejects.toMatchObject({ code: 'extract_unreadable' });
  });

  test('ends bombs at the limits', async () => {
    const limit = { code: 'extract_limit' };
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `f${index}`, content: '', stored: true }));
    await expect(readArchive('zip', makeZip(many))).rejects.toMatchObject(limit);
    await expect(readArchive('zip', makeZip([zeros('z', 64)]))).rejects.toMatchObject(limit);
    await expect(readArchive('tar_gz', gzipSync(Buffer.alloc(1 << 24)))).rejects.toMatchObject(limit);
    await expect(readArchive('tar_gz', await cutTar())).rejects.toMatchObject({ code: 'extract_unreadable' });
  });
});

/** The header of a file whose bytes are missing. */
async function cutTar(): Promise<Buffer> {
  const tar = await makeTar({ name: 'a', content: Buffer.alloc(4096, 'x') });
  return gzipSync(tar.subarray(0, 1024), { level: 0 });
}
