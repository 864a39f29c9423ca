import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAddress, maxColumn, maxRow, parseAddress } from '#adapters/extract/ooxml/cell-address.ts';
import { moveFormula } from '#adapters/extract/ooxml/move-formula.ts';

describe('moveFormula', () => {
  test.each([
    ['A1+B2', 1, 0, 'A2+B3'],
    ['A1+B2', 0, 1, 'B1+C2'],
    ['$A1+A$1+$A$1', 3, 3, '$A4+D$1+$A$1'],
    ['SUM(A1:B10)', 1, 1, 'SUM(B2:C11)'],
    ['SUM(A:B)+SUM(3:4)', 1, 1, 'SUM(B:C)+SUM(4:5)'],
    ['SUM($A:B)+SUM(3:$4)', 1, 1, 'SUM($A:C)+SUM(4:$4)'],
    ['"A1"&A1&"say ""A1"""', 1, 0, '"A1"&A2&"say ""A1"""'],
    ["'A1 sheet'!A1+A1!B2", 1, 0, "'A1 sheet'!A2+A1!B3"],
    ["'it''s A1'!A1", 1, 0, "'it''s A1'!A2"],
    ['LOG10(A1)+ATAN2(B1,C1)', 1, 0, 'LOG10(A2)+ATAN2(B2,C2)'],
    ['Table1[A1]+[1]Sheet1!A1', 1, 0, 'Table1[A1]+[1]Sheet1!A2'],
    ['TRUE+A1B+tax2024rate', 1, 0, 'TRUE+A1B+tax2024rate'],
    ['1E5+A1', 1, 0, '1E5+A2'],
    ['Ä1+A1', 1, 0, 'Ä1+A2'],
    ['A1', -1, -1, 'XFD1048576'],
    ['XFD1048576', 1, 1, 'A1'],
    ['XFE1+A1048577', 1, 0, 'XFE1+A1048577'],
  ])('%s by %i rows and %i columns', (formula, rows, columns, expected) => {
    expect(moveFormula(formula, rows, columns)).toBe(expected);
  });

  test('takes linear time', () => {
    const started = performance.now();
    for (const part of ['"', "'", '[', 'A', '$', '1', 'A:', '1:', 'A1:']) moveFormula(part.repeat(200_000), 1, 1);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('addresses', () => {
  test('read as they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: maxRow }), fc.integer({ min: 1, max: maxColumn }), (row, column) => {
        expect(parseAddress(formatAddress({ row, column }))).toEqual({ row, column });
      }),
    );
  });

  test.each(['', 'A', '1', 'A0', 'a1', 'XFE1', 'A1048577', 'AAAA1', ' A1', 'A1:B2', '$A$1'])('%o is none', (text) => {
    expect(parseAddress(text)).toBeNull();
  });
});
