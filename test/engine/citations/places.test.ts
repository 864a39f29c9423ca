import { describe, expect, test } from 'vitest';
import type { Json } from '#contract/json.ts';
import type { Locator } from '#contract/result.ts';
import { citationHolds, placesOfExtraction } from '#engine/citations/places.ts';
import { resolvePointer } from '#engine/citations/resolve-pointer.ts';
import type { Places } from '#engine/run/work.ts';

const text: Places = { kind: 'text', text: 'one\r\ntwo\rstill two\nthree\n' };
const pages: Places = { kind: 'pages', texts: ['first page', ''] };
const slides: Places = {
  kind: 'slides',
  slides: [{ number: 1, title: 'Hello', paragraphs: ['World'], tables: [], notes: '' }],
};
const value: Places = { kind: 'value', value: { a: [10, { b: null }], '~/': 'x', format: 1, kind: 2 } };
const document: Places = {
  kind: 'document',
  output: {
    format: 'docx',
    blocks: [
      { kind: 'paragraph', text: 'Total 12', style: 'Body' },
      { kind: 'table', rows: [['a', '']] },
    ],
  },
};
const region = (page: number): Locator => ({ region: { page, x: 0, y: 0, width: 1, height: 1 } });

describe('a place of the evidence', () => {
  test.each<[string, Places, Locator, boolean]>([
    ['the first line', text, { lines: { start: 1, end: 1 } }, true],
    ['a lone carriage return ends no line', text, { lines: { start: 3, end: 3 } }, true],
    ['a final line end makes no line', text, { lines: { start: 3, end: 4 } }, false],
    ['lines count from one', text, { lines: { start: 0, end: 1 } }, false],
    ['an end before its start', text, { lines: { start: 2, end: 1 } }, false],
    ['no line in an empty file', { kind: 'text', text: '' }, { lines: { start: 1, end: 1 } }, false],
    ['a text has no pointer', text, { json_pointer: '' }, false],
    ['a page', pages, { page: 2 }, true],
    ['no third page', pages, { page: 3 }, false],
    ['no page zero', pages, { page: 0 }, false],
    ['a region of a page', pages, region(1), true],
    ['a region of no page', pages, region(3), false],
    ['a slide', slides, { slide: 1 }, true],
    ['no second slide', slides, { slide: 2 }, false],
    ['a slide is no page', slides, { page: 1 }, false],
    ['the whole value', value, { json_pointer: '' }, true],
    ['a member called format of a value', value, { json_pointer: '/format' }, true],
    ['escapes', value, { json_pointer: '/~0~1' }, true],
    ['a broken escape', value, { json_pointer: '/~2' }, false],
    ['an index', value, { json_pointer: '/a/1/b' }, true],
    ['an index with a leading zero', value, { json_pointer: '/a/01' }, false],
    ['an index beyond the list', value, { json_pointer: '/a/2' }, false],
    ['the dash', value, { json_pointer: '/a/-' }, false],
    ['a missing slash', value, { json_pointer: 'a' }, false],
    ['an inherited member', value, { json_pointer: '/constructor' }, false],
    ['below a number', value, { json_pointer: '/a/0/x' }, false],
    ['content of a document', document, { json_pointer: '/blocks/0/text' }, true],
    ['the tag of a document', document, { json_pointer: '/format' }, false],
    ['the tag of a block', document, { json_pointer: '/blocks/0/kind' }, false],
    ['the style of a block', document, { json_pointer: '/blocks/0/style' }, false],
    ['a cell', document, { json_pointer: '/blocks/1/rows/0/1' }, true],
    ['nothing of an archive', { kind: 'none' }, { json_pointer: '' }, false],
  ])('%s', (_, places, locator, holds) => {
    expect(citationHolds(places, { slot: 's', locator })).toBe(holds);
  });

  test.each<[string, Places, Locator, string, boolean]>([
    ['in its lines', text, { lines: { start: 1, end: 2 } }, 'one two', true],
    ['not in other lines', text, { lines: { start: 1, end: 1 } }, 'three', false],
    ['invisible characters do not count', text, { lines: { start: 3, end: 3 } }, 'th\u200bree', true],
    ['on its page', pages, { page: 1 }, 'first page', true],
    ['on the page of a region', pages, region(1), 'page', true],
    ['not on an empty page', pages, { page: 2 }, 'first', false],
    ['in a slide', slides, { slide: 1 }, 'World', true],
    ['in a text of a value', value, { json_pointer: '/~0~1' }, 'x', true],
    ['in compact JSON', value, { json_pointer: '/a' }, '[10,{"b":null}]', true],
  ])('a quote: %s', (_, places, locator, quote, holds) => {
    expect(citationHolds(places, { slot: 's', locator, quote })).toBe(holds);
  });
});

test.each<[Json, Places | null]>([
  [
    { format: 'pdf', pages: [{ number: 1, text: 'a' }] },
    { kind: 'pages', texts: ['a'] },
  ],
  [
    { format: 'markdown', text: 'a' },
    { kind: 'text', text: 'a' },
  ],
  [
    { format: 'json', value: null },
    { kind: 'value', value: null },
  ],
  [{ format: 'csv', rows: [] }, null],
  [
    { format: 'pptx', slides: [] },
    { kind: 'slides', slides: [] },
  ],
  ['text', null],
  [[], null],
])('places of an extraction: %j', (output, places) => {
  expect(placesOfExtraction(output)).toEqual(places);
});

test('a pointer tells the members it went through', () => {
  expect(resolvePointer({ a: [{ b: 1 }] }, '/a/0/b')).toEqual({ value: 1, members: ['a', null, 'b'] });
});
