import { describe, expect, test } from 'vitest';
import { hostileBytes, hostileCases, hostileMakers } from '#test/support/documents/hostile.ts';
import { useExtract } from '#test/support/extract-files.ts';

/** Documents made against the reader: each ends as its one outcome, and the next document is read as ever. */
describe('hostile documents', () => {
  const extract = useExtract();
  const extractInTwoSeconds = useExtract({ timeLimit: 2_000 });
  const cases = hostileCases();

  test('every maker has a case', () => {
    const ids = cases.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(hostileMakers.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.length).toBeGreaterThan(100);
  });

  test.each(cases.map((one) => [one.id, one.title, one] as const))(
    '%s: %s',
    { timeout: 40_000 },
    async (_, __, one) => {
      const reply = await (one.within === undefined ? extract : extractInTwoSeconds)(one.format, hostileBytes(one));
      if (typeof one.expect === 'string') {
        expect(reply).toMatchObject({ kind: 'failure', code: one.expect, retryable: false });
      } else {
        expect(reply).toMatchObject({ kind: 'output', warnings: one.expect.warnings ?? [] });
        expect(JSON.stringify(reply.kind === 'output' && reply.output)).toBe(JSON.stringify(one.expect.output));
      }
      expect(await extract('text', Buffer.from('alive'))).toMatchObject({ output: { text: 'alive' } });
    },
  );

  test('the host did not grow with them', () => {
    expect(process.memoryUsage.rss()).toBeLessThan(2 * 1024 ** 3);
  });
});
