import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '#engine/values/json-reader.ts';
import { checkJsonValue, parseJson } from '#engine/values/parse-json.ts';

const limits = { maxDepth: 128 };

describe('parseJson', () => {
  it.each([
    ['{"a":1,"a":2}', 'duplicate_key', '/a'],
    ['[{"x":{"b":1,"\\u0062":2}}]', 'duplicate_key', '/0/x/b'],
    ['{"a/b":{"~":[1,{"c":1,"c":1}]}}', 'duplicate_key', '/a~1b/~0/1/c'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate_key', '/__proto__'],
    ['["\\ud800"]', 'lone_surrogate', '/0'],
    ['["\\uDC00x"]', 'lone_surrogate', '/0'],
    ['{"\\ud800":1}', 'lone_surrogate', ''],
    ['["\ud800"]', 'lone_surrogate', '/0'],
    ['[9007199254740992]', 'unsafe_integer', '/0'],
    ['[-9007199254740993]', 'unsafe_integer', '/0'],
    ['[100000000000000000000]', 'unsafe_integer', '/0'],
    ['{"a":1e400}', 'number_range', '/a'],
    [`[${'9'.repeat(400)}]`, 'number_range', '/0'],
    ['[1,]', 'syntax', '/1'],
    ['', 'syntax', ''],
    ['\ufeff{}', 'syntax', ''],
    ['{} {}', 'syntax', ''],
    ['[01]', 'syntax', '/1'],
    ['[NaN]', 'syntax', '/0'],
    ['"\u0001"', 'syntax', ''],
    ['{"a" 1}', 'syntax', '/a'],
    ['{a:1}', 'syntax', ''],
    ['[1}', 'syntax', '/1'],
    ['"abc', 'syntax', ''],
    ['"\\"', 'syntax', ''],
  ])('%j: %s at %j', (text, reason, pointer) => {
    expect(parseJson(text, limits)).toMatchObject({ ok: false, reason, pointer });
  });

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '1e20',
    '0.1234567890123456789',
    '"\\ud83d\\ude00 \\\\ \\" \\/"',
    '"\\\\ud800"',
    ' [ ] ',
    '{"a":":","b":"\\":","":{}}',
    '-0',
    '1e-400',
  ])('reads %s as the runtime does', (text) => {
    expect(parseJson(text, limits)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it('counts depth in containers, the root among them', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parseJson(nested(128), limits).ok).toBe(true);
    expect(parseJson(nested(129), limits)).toMatchObject({ reason: 'depth', offset: 128 });
    expect(parseJson('{"a":'.repeat(10_000), limits)).toMatchObject({ reason: 'depth' });
    expect(parseJson(nested(10_000), { maxDepth: 20_000 }).ok).toBe(true);
  });

  it('lets a Card hold an integer that a double holds exactly', () => {
    const exact = { maxDepth: 128, integers: 'exact' } as const;
    expect(parseJson('[9007199254740992, 100000000000000000000]', exact).ok).toBe(true);
    expect(parseJson('[9007199254740993]', exact)).toMatchObject({ reason: 'unsafe_integer' });
  });

  it.each([parseJson, readJson])('keeps __proto__ a plain member', (parse) => {
    const parsed = parse('{"__proto__":{"polluted":true},"constructor":1}', limits);
    if (!parsed.ok) throw new Error(parsed.message);
    expect(Object.keys(parsed.value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(parsed.value)).toBe(Object.prototype);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('agrees with the runtime on every JSON text it accepts, and with its own strict reader on everything', () => {
    const anyText = fc.oneof(
      fc.json({ stringUnit: 'binary' }),
      fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 2)),
      fc
        .array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '1', '-', '.', 'e', ' ', 'null'))
        .map((parts) => parts.join('')),
      fc
        .array(
          fc.constantFrom('{"a":1', ',"a":2', '"\\ud83d', '\\ude00"', '}', '[', ']', ',', '1e400', '9007199254740993'),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseJson(text, limits);
        expect(parsed).toEqual(readJson(text, limits));
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
        else if (parsed.reason === 'syntax') expect(() => JSON.parse(text)).toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('checkJsonValue', () => {
  const shared: unknown[] = Array.from({ length: 40 }).reduce<unknown[]>((inner) => [inner, inner], []);
  const cycle: unknown[] = [];
  cycle.push(cycle);

  it.each<[unknown, string]>([
    [Number.NaN, 'not_finite'],
    [[Number.POSITIVE_INFINITY], 'not_finite'],
    [{ a: undefined }, 'not_json'],
    [() => 1, 'not_json'],
    [1n, 'not_json'],
    [new Date(0), 'not_json'],
    [new Map(), 'not_json'],
    [new Array(2), 'not_json'],
    [{ a: '\ud800' }, 'lone_surrogate'],
    [{ '\ud800': 1 }, 'lone_surrogate'],
    [cycle, 'depth'],
    [shared, 'size'],
  ])('refuses %o', (value, reason) => {
    expect(checkJsonValue(value, 128)).toEqual({ ok: false, reason });
  });

  it('takes every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(checkJsonValue(value, 128)).toEqual({ ok: true, value });
      }),
    );
    expect(checkJsonValue(Object.assign(Object.create(null), { a: 1 }), 1).ok).toBe(true);
    expect(checkJsonValue([[]], 1)).toEqual({ ok: false, reason: 'depth' });
  });
});
