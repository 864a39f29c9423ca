import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBytes, readText } from '#cli/load/read-text.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

describe('reading a file', () => {
  test('never waits for what is no file', () =>
    inFolder({}, async (folder) => {
      const [directory, pipe, link, socket] = ['directory', 'pipe', 'link', 'socket'].map((name) => join(folder, name));
      mkdirSync(directory!);
      execFileSync('mkfifo', [pipe!]);
      symlinkSync(pipe!, link!);
      const server = createServer().listen(socket!);
      for (const path of [directory, pipe, link, socket, '/dev/zero', '/dev/tty']) {
        for (const read of [await readBytes(path!, 1000), await readText(path!, 1000)]) {
          expect(read, path!).toEqual({ ok: false, reason: expect.stringMatching(/^(not_a_file|unreadable)$/) });
        }
      }
      server.close();
    }));

  test.each([
    ['up to its limit', 'abcd', 4, { ok: true, text: 'abcd' }],
    ['not above it', 'abcde', 4, { ok: false, reason: 'too_large' }],
    ['an empty one too', '', 4, { ok: true, text: '' }],
  ])('reads a regular file: %s', (_, text, limit, read) =>
    inFolder({ file: text }, async (folder) => {
      expect(await readText(join(folder, 'file'), limit)).toEqual(read);
    }),
  );
});
