import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Settlement } from '#engine/index.ts';
import type { WorkResults } from '#service/ports/attempts.ts';

const answer = (output: string, attempt = 1): Settlement => ({
  attempt,
  duration_ms: 3,
  result: { kind: 'output', output },
});

/** Answers of one attempt, kept between the steps of a driver that moves (docs/spec/background.md §10). */
export function testWorkResults(name: string, make: () => Promise<WorkResults>): void {
  describe(`WorkResults: ${name}`, () => {
    const place = (work_id: string, attempt = 1) => ({ execution_id, attempt, work_id });
    const execution_id = v7();

    it('keeps the first answer of each (attempt, work, try), in the order of storing', async () => {
      const results = await make();
      await results.put('acme', place('step:b'), answer('first'));
      await results.put('acme', place('step:a'), answer('other'));
      await results.put('acme', place('step:b'), answer('late'));
      await results.put('acme', place('step:b'), answer('second try', 2));
      expect(await results.all('acme', execution_id, 1)).toEqual([
        { work_id: 'step:b', settlement: answer('first') },
        { work_id: 'step:a', settlement: answer('other') },
        { work_id: 'step:b', settlement: answer('second try', 2) },
      ]);
    });

    it('keeps attempts, executions and tenants apart', async () => {
      const results = await make();
      await results.put('acme', place('step:a'), answer('one'));
      await results.put('acme', place('step:a', 2), answer('two'));
      expect(await results.all('acme', execution_id, 2)).toEqual([{ work_id: 'step:a', settlement: answer('two') }]);
      expect(await results.all('bolt', execution_id, 1)).toEqual([]);
      expect(await results.all('acme', v7(), 1)).toEqual([]);
    });

    it('lets one of two answers at once win', async () => {
      const results = await make();
      await Promise.all(['x', 'y', 'z'].map((text) => results.put('acme', place('check:r'), answer(text))));
      const [stored, ...more] = await results.all('acme', execution_id, 1);
      expect(more).toEqual([]);
      expect(await results.all('acme', execution_id, 1)).toEqual([stored]);
    });

    it('gives back large and unusual values as they were', async () => {
      const results = await make();
      const large = answer(`\u0000\ud83d\ude00${'é'.repeat(2_000_000)}`);
      await results.put('acme', place('step:__proto__'), large);
      expect(await results.all('acme', execution_id, 1)).toEqual([{ work_id: 'step:__proto__', settlement: large }]);
    });

    it('forgets every attempt of an execution, and nothing of another', async () => {
      const results = await make();
      const other = v7();
      await results.put('acme', place('step:a'), answer('one'));
      await results.put('acme', place('step:a', 2), answer('two'));
      await results.put('acme', { execution_id: other, attempt: 1, work_id: 'step:a' }, answer('kept'));
      await results.clear('acme', execution_id);
      await results.clear('acme', execution_id);
      expect(await results.all('acme', execution_id, 1)).toEqual([]);
      expect(await results.all('acme', execution_id, 2)).toEqual([]);
      expect(await results.all('acme', other, 1)).toHaveLength(1);
    });
  });
}
