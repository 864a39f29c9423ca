import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { checkSelectorShape, parseSelector } from '#engine/trace/parse-selector.ts';
import { selectSpans } from '#engine/trace/select-spans.ts';

function matches(text: string, document: Json): readonly Json[] | 'invalid' | 'too much' {
  const parsed = parseSelector(text);
  if (!parsed.ok) return 'invalid';
  const selection = selectSpans(document, parsed.selector);
  return selection.ok ? selection.matches : 'too much';
}

const document: Json = {
  list: [1, 2, 3, 4],
  objects: [
    { n: 1, tag: 'a', in: { n: 10 } },
    { n: 2, tag: 'b' },
    { n: 2.5, tag: null, list: ['a'] },
  ],
  one: { 'a.b': 'dotted', 'x\\y': 'backslash', "it's": 'quoted', n: 7, 'k-1': 'hyphen' },
  allowed: ['a', 'z'],
  text: 'text',
};

describe('paths', () => {
  it.each<[string, readonly Json[]]>([
    ['$.text', ['text']],
    ['$.text.length', []],
    ['$.one.constructor', []],
    ['$.one.k-1', ['hyphen']],
    ["$.one['a.b']", ['dotted']],
    ['$["one"]["it\'s"]', ['quoted']],
    ["$.one['x\\y']", ['backslash']],
    ["$.one['n','a.b','gone']", [7, 'dotted']],
    ['$.list[0]', [1]],
    ['$.list[9]', []],
    ['$.list[2,0]', [3, 1]],
    ['$.list[ 2 , 0 ]', [3, 1]],
    ['$.text[0]', []],
    ['$.list[*]', [1, 2, 3, 4]],
    ['$.list.*', [1, 2, 3, 4]],
    ['$.one.*', ['dotted', 'backslash', 'quoted', 7, 'hyphen']],
    ['$.text[*]', []],
    ['$..n', [1, 10, 2, 2.5, 7]],
    ["$..['a.b']", ['dotted']],
    ['$.list..*', [1, 2, 3, 4]],
    ['$.objects[0]..*', [1, 'a', { n: 10 }, 10]],
    ['$.objects[*].in.n', [10]],
  ])('%s', (text, found) => expect(matches(text, document)).toEqual(found));
});

describe('slices', () => {
  it.each<[string, readonly Json[]]>([
    ['[1:3]', [2, 3]],
    ['[:2]', [1, 2]],
    ['[2:]', [3, 4]],
    ['[2:0]', [3, 4]],
    ['[:]', [1, 2, 3, 4]],
    ['[-2:]', [3, 4]],
    ['[0:-1]', [1, 2, 3]],
    ['[0:4:2]', [1, 3]],
    ['[::3]', [1, 4]],
    ['[0:5]', []],
    ['[-5:]', []],
    ['[5:]', []],
    ['[3:1]', []],
    ['[0:-4]', []],
    ['[0:-5]', []],
  ])('%s', (slice, found) => expect(matches(`$.list${slice}`, document)).toEqual(found));
});

describe('filters', () => {
  it.each<[string, readonly Json[]]>([
    ['@.n == 2', [2]],
    ['@.n == 2.0', [2]],
    ['@.n != 2', [1, 2.5]],
    ['@.n>1', [2, 2.5]],
    ['@.n >= 2 && @.n < 2.5', [2]],
    ["@.tag == 'a' || @.n > 2", [1, 2.5]],
    ["@.n == 1 || @.n == 2 && @.tag == 'x'", [1]],
    ["(@.n == 1 || @.n == 2) && @.tag == 'b'", [2]],
    ['@.tag == null', [2.5]],
    ['@.in', [1]],
    ['!@.in', [2, 2.5]],
    ['!(@.in) && !(@.n == 2)', [2.5]],
    ['!@.n == 1', [2, 2.5]],
    ['@.gone == null', []],
    ['@.gone == @.none', [1, 2, 2.5]],
    ['@.gone == 1', []],
    ['@.tag > 1', []],
    ["@.tag ~= '^[ab]$'", [1, 2]],
    ['@.tag ~= "B"', []],
    ["@.tag in ['a', 'x']", [1]],
    ["@.tag nin ['a']", [2, 2.5]],
    ['@.n in [1, 2.5]', [1, 2.5]],
    ['@.tag in $.allowed', [1]],
    ['@.tag nin $.allowed', [2, 2.5]],
    ['@.tag in $.text', []],
    ['@.tag in @.list', []],
    ['@.in[?(@.n == 10)]', [1]],
    ['$.text == "text"', [1, 2, 2.5]],
    ['"a" == @.tag', [1]],
    ['true == @.tag', []],
    ['@.n > $.list[0]', [2, 2.5]],
    ['@.n < $.list[*]', []],
  ])('[?(%s)]', (test, found) => expect(matches(`$.objects[?(${test})].n`, document)).toEqual(found));

  it('tests a value itself where that is no list', () => {
    expect(matches('$.one[?(@.n == 7)].n', document)).toEqual([7]);
    expect(matches('$.one[?(@.n == 8)]', document)).toEqual([]);
    expect(matches("$.text[?(@ == 'text')]", document)).toEqual(['text']);
  });
});

describe('.length()', () => {
  it.each<[string, readonly Json[]]>([
    ['$.list.length()', [4]],
    ['$.list[*].length()', [4]],
    ['$.list[0:2].length()', [2]],
    ['$.list[0,1,9].length()', [2]],
    ['$.list[0].length()', []],
    ["$.one['n','a.b'].length()", [2]],
    ['$.objects[?(@.n > 1)].length()', [2]],
    ['$.objects[?(@.n > 9)].length()', []],
    ['$.gone.length()', []],
    ['$.text.length()', []],
    ['$..list.length()', [4]],
  ])('%s', (text, found) => expect(matches(text, document)).toEqual(found));
});

describe('what is not of the dialect', () => {
  it.each([
    '$.',
    '$..',
    '$.list[-1]',
    '$.list[01]',
    '$.list[0:4:0]',
    '$.list[]',
    "$.list[0,'a']",
    '$[?@.n]',
    '$[?(@.n>)]',
    '$[?()]',
    '$[?(@.n = 1)]',
    '$[?(true)]',
    '$[?(@.n == 1)',
    '$.list.size()',
    '$.list.length().x',
    '$[?(@.length() == 1)]',
    "$[?(@.n ~= '(')]",
    '$[?(@.n in [])]',
    "$[?(@.n in [1,'a'])]",
    '$[?(@.n in 1)]',
    '$[?(@.n noneOf [1])]',
    '$.ä',
    '$.list [0]',
    '@.list',
    '',
    `$[?(${'('.repeat(400)}@.n${')'.repeat(400)})]`,
    `$${"[?(@[?(@.a=='x')])]".repeat(52)}x`,
  ])('%s', (text) => expect(matches(text, document)).toBe('invalid'));
});

describe('checkSelectorShape', () => {
  it.each(["$.a['[']", '$[?(@.n>)]', '$((', `$.${'a'.repeat(1022)}`])('takes %j', (text) => {
    expect(checkSelectorShape(text)).toBe(true);
  });

  it.each([
    'a',
    '$[',
    '$]',
    '$][',
    "$['a",
    '$["a\']',
    '$.a\n',
    '$.a\u0085',
    `$.${'a'.repeat(1023)}`,
    `$.${'é'.repeat(512)}`,
  ])('refuses %j', (text) => {
    expect(checkSelectorShape(text)).toBe(false);
  });
});

describe('hostile selectors and traces', () => {
  const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`key-${index}`, 'value']));
  const trace: Json = { spans: Array.from({ length: 10_000 }, (_, index) => ({ span_id: `${index}`, attributes })) };
  let deep: Json = 'x';
  for (let depth = 0; depth < 100; depth += 1) deep = { a: deep };

  it.each<[string, Json, unknown]>([
    ['$..*', trace, expect.any(Array)],
    ["$.spans[?(@.attributes['key-9'] == 'value')].length()", trace, [10_000]],
    [`$${'..*'.repeat(40)}`, deep, 'too much'],
    ['$.spans[?($..* == $..*)].length()', trace, [10_000]],
    ['$.spans[?(@ in $.spans)].length()', trace, [10_000]],
    ['$..*[?($..*[?(@..*)])]', trace, expect.anything()],
  ])('%s', (text, document, found) => {
    const started = performance.now();
    expect(matches(text, document)).toEqual(found);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
