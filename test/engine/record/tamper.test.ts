import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkRecord, type RepeatedWork } from '#engine/record/check-record.ts';
import { type JudgedExecution, judgeLetter } from '#test/support/judged-letter.ts';
import { repeatCode } from '#test/support/repeat-code.ts';
import { type Change, tamper } from '#test/support/tampered-record.ts';

interface Case {
  readonly name: string;
  readonly change: readonly Change[];
  readonly result?: string;
  readonly expect?: readonly string[];
  readonly only?: readonly string[];
}

const cases = parse(readFileSync(new URL('tamper.yaml', import.meta.url), 'utf8'), {
  maxAliasCount: -1,
}) as readonly Case[];

describe('a record that was tampered with', () => {
  let judged: JudgedExecution;
  let repeated: ReadonlyMap<string, RepeatedWork>;
  beforeAll(async () => {
    judged = await judgeLetter();
    repeated = await repeatCode(tamper(judged, []));
  });

  test('every case is another one', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  test.each(cases)('$name', ({ change, result, expect: among, only }) => {
    const report = checkRecord({ ...tamper(judged, change), repeated });
    const found = report.defects.map(({ code, at }) => `${code} ${at}`);
    expect({ result: report.result, found }).toMatchObject({ result: result ?? 'invalid' });
    if (only !== undefined) expect(found.toSorted()).toEqual(only.toSorted());
    expect(found).toEqual(expect.arrayContaining([...(among ?? [])]));
    if (result === 'valid') expect(found).toEqual([]);
    if (result === undefined || result === 'invalid')
      expect(report.defects.some(({ severity }) => severity === 'invalid')).toBe(true);
  });
});
