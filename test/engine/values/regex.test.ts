import { describe, expect, it } from 'vitest';
import { checkPattern, searches } from '#engine/values/regex.ts';

describe('checkPattern', () => {
  it.each(['', 'a'.repeat(4096), '(?i)é', '\\p{Greek}+', '(?<year>[0-9]{4})', '(?x) a # comment'])(
    'takes %j',
    (pattern) => {
      expect(checkPattern(pattern)).toEqual({ ok: true });
    },
  );

  it.each([
    ['look-ahead', '(?=a)b'],
    ['look-behind', '(?<!a)b'],
    ['a back-reference', '(a)\\1'],
    ['an open group', '('],
    ['more than 4,096 bytes', 'a'.repeat(4097)],
    ['more than 4,096 bytes in fewer characters', 'é'.repeat(2049)],
    ['a program above 10 MiB', '(?:a{1000}){1000}'],
    ['a Unicode program above 10 MiB', '\\w{500}'],
    ['deep nesting', `${'('.repeat(1000)}${')'.repeat(1000)}`],
  ])('refuses %s', (_, pattern) => {
    expect(checkPattern(pattern)).toMatchObject({ ok: false, message: expect.any(String) });
  });
});

describe('searches', () => {
  it.each([
    ['', 'x', true],
    ['^\\d+$', '٣٤', true],
    ['b$', 'ab\n', false],
    ['(?m)b$', 'ab\nc', true],
    ['a.b', 'a\nb', false],
    ['^.$', '😀', true],
    ['(?i)straße', 'STRAßE', true],
    ['\\bñu\\b', 'un ñu', true],
    ['a\\x00b', 'a\u0000b', true],
    ['^a', '\ufeffa', false],
  ])('%j in %j: %s', (pattern, text, found) => expect(searches(pattern, text)).toBe(found));

  it('stays linear on nested repetition', () => {
    const started = performance.now();
    expect(searches('^(a+)+$', `${'a'.repeat(200_000)}!`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('answers the same after its pattern had to make room', () => {
    expect(searches('first-[0-9]+', 'first-1')).toBe(true);
    for (let index = 0; index < 600; index += 1) expect(searches(`p${index}$`, `p${index}`)).toBe(true);
    expect(searches('first-[0-9]+', 'first-2')).toBe(true);
    expect(searches('first-[0-9]+', 'first-x')).toBe(false);
  });
});
