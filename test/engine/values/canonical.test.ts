import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { canonical, compareBytes, sha256Hex, utf8Length } from '#engine/values/canonical.ts';

const text = fc.string({ unit: 'binary' });
const json = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<Json>;

describe('canonical', () => {
  it('is what the canonicalize package writes', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonical(value)).toBe(canonicalize(value));
      }),
      { numRuns: 500 },
    );
  });

  it('is stable: parsed and written again it is the same', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonical(JSON.parse(canonical(value)) as Json)).toBe(canonical(value));
      }),
    );
  });

  it('orders members by UTF-16 units and writes numbers as ECMAScript does', () => {
    expect(canonical({ '\ufb33': 1, '😀': 2, a: 4.0, b: 1e21, c: -0 })).toBe(
      '{"a":4,"b":1e+21,"c":0,"😀":2,"\ufb33":1}',
    );
    expect(canonical(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}') as Json)).toBe(
      '{"__proto__":{"a":2,"z":1},"b":1}',
    );
  });
});

describe('bytes', () => {
  const bytes = (value: string) => Buffer.from(value);

  it('counts and orders as UTF-8 does', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(utf8Length(left)).toBe(bytes(left).length);
        expect(Math.sign(compareBytes(left, right))).toBe(Buffer.compare(bytes(left), bytes(right)));
      }),
      { numRuns: 500 },
    );
    expect(compareBytes('\ufffd', '😀')).toBeLessThan(0);
  });

  it('hashes as SHA-256 does', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(sha256Hex(value)).toBe(createHash('sha256').update(value).digest('hex'));
        expect(sha256Hex(new TextEncoder().encode(value))).toBe(sha256Hex(value));
      }),
    );
  });
});
