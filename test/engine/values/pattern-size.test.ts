import { describe, expect, test } from 'vitest';
import { judge } from '#engine/operators/index.ts';
import { expandedSize } from '#engine/values/pattern-size.ts';
import { maxSearchWork, searchWork } from '#engine/values/regex.ts';

describe('the size of a pattern', () => {
  test.each([
    ['a', 1],
    [String.raw`\w\d`, 2],
    [String.raw`\w{10}`, 10],
    [String.raw`(?:\w\s){10}`, 20],
    [String.raw`(\w{10}){10}`, 100],
    [String.raw`\w{2,}`, 2],
    [String.raw`\w{0}`, 1],
    ['(((', 0],
    [')))', 0],
    ['', 0],
  ])('%s has %d atoms', (pattern, atoms) => {
    expect(expandedSize(pattern, (token) => (/^[(?:)]+$/.test(token) ? 0 : 1))).toBe(atoms);
  });

  test('of nested repetitions is bounded', () => {
    expect(expandedSize(`${'('.repeat(50)}a${'{1000})'.repeat(50)}`, () => 1)).toBeLessThanOrEqual(1e9);
  });
});

describe('a search', () => {
  const matches = (pattern: string, text: string) =>
    judge({ operator: { kind: 'matches_regex', pattern }, expected: null, normalize: 'none' }, text, 'wyrd/v1');

  test('that may block the host is operator_config, and says nothing of the text', () => {
    expect(matches('(?s)(?:x|.){3000}y', 's3cr3t'.repeat(10_000))).toEqual({
      result: 'config',
      reason: expect.not.stringContaining('s3cr3t'),
    });
  });

  test('of an ordinary pattern on the largest text is made', () => {
    const text = 'a'.repeat(1024 * 1024);
    expect(searchWork(String.raw`^\w{3,50}@[a-z]+\.(?:com|org|net)$`, text)).toBeLessThan(maxSearchWork);
    expect(matches(String.raw`^\w{3,50}@`, text).result).toBe('false');
  });

  test('of the longest literal is made', () => {
    expect(matches('b'.repeat(4096), 'a'.repeat(1024 * 1024)).result).toBe('false');
  });
});
