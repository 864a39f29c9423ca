import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import type { Selector } from '#engine/references/reference.ts';
import { select, selectEach } from '#engine/references/select.ts';

const all = { wildcard: true } as const;

describe('select', () => {
  it.each<[Json, Selector, Json]>([
    [{ a: [{ b: null }] }, ['a', 0, 'b'], null],
    [{ '0': 'x' }, ['0'], 'x'],
    ['text', [], 'text'],
    [JSON.parse('{"__proto__": 1}') as Json, ['__proto__'], 1],
  ])('%j %j', (value, selector, found) => {
    expect(select(value, selector)).toEqual({ found: true, value: found });
  });

  it.each<[Json, Selector]>([
    [{}, ['constructor']],
    [{}, ['__proto__']],
    [[], ['length']],
    ['text', ['length']],
    ['text', [0]],
    [{ '0': 1 }, [0]],
    [[1], ['0']],
    [[1], [1]],
    [null, ['a']],
    [true, ['a']],
    [[1], [Number('18446744073709551615')]],
    [[1], [all]],
  ])('misses %j %j', (value, selector) => {
    expect(select(value, selector)).toEqual({ found: false });
  });
});

describe('selectEach', () => {
  it('keeps one list for items and record', () => {
    const value = { rows: [{ cells: [1, 2] }, { cells: [] }, { cells: [3] }] };
    expect(selectEach(value, ['rows', all, 'cells', all])).toEqual({
      kind: 'items',
      items: [1, 2, 3],
      list: [1, 2, 3],
    });
    expect(selectEach(value, ['rows', all, 'cells'])).toMatchObject({ items: [[1, 2], [], [3]] });
    expect(selectEach([[1], [2]], [])).toMatchObject({ items: [[1], [2]] });
  });

  it.each<[Json, Selector, string]>([
    [{ rows: [{ n: 1 }, {}] }, ['rows', all, 'n'], 'missing'],
    [{ rows: null }, ['rows', all], 'missing'],
    [{ rows: {} }, ['rows', all], 'missing'],
    [{}, ['rows'], 'missing'],
    [{ rows: null }, ['rows'], 'not_array'],
    [{ rows: 'text' }, ['rows'], 'not_array'],
  ])('%j %j: %s', (value, selector, kind) => {
    expect(selectEach(value, selector)).toEqual({ kind });
  });
});
