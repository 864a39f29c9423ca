import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brief, printable, printableJson, printableLines, shorten, wrapWords } from '#cli/output/printable.ts';

describe('printable', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u009b31m', '\\x9b31m'],
    ['a\rb', 'a\\rb'],
    ['a\nb\tc', 'a\\nb\\tc'],
    ['\u202epassed', '\\u{202e}passed'],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['\u2028', '\\u{2028}'],
    ['hidden\u{e0041}', 'hidden\\u{e0041}'],
    ['soft\u00adhyphen', 'soft\\xadhyphen'],
    ['\u007f', '\\x7f'],
    ['\ud800', '\\u{d800}'],
    ['naïve 日本語 🙂', 'naïve 日本語 🙂'],
  ])('%j', (text, shown) => expect(printable(text)).toBe(shown));

  test('leaves nothing that a terminal acts on, whatever comes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, (any) => {
        expect(printable(any)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(brief(any)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  test('JSON says the same and shows nothing that a terminal acts on', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.dictionary(text, text), (one, members) => {
        const value = { ...members, one };
        const shown = printableJson(value);
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test('keeps lines apart', () => expect(printableLines('a\r\nb\n\u0007')).toEqual(['a', 'b', '\\x07']));
});

test('shorten never cuts inside a character and never exceeds its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.integer({ min: 1, max: 20 }), (text, length) => {
      const short = shorten(text, length);
      expect(Array.from(short).length).toBeLessThanOrEqual(Math.max(length, 1));
      expect(short.isWellFormed()).toBe(true);
      if (Array.from(text).length <= length) expect(short).toBe(text);
    }),
  );
});

test('wrapped words join to the line they came from', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 80 }), (line) => {
      const parts = wrapWords(line, 10);
      expect(parts.join(' ')).toBe(line);
      for (const part of parts) if (part.length > 10) expect(part.trim()).not.toContain(' ');
    }),
  );
});
