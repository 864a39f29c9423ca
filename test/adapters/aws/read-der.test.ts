import { createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawSignature } from '#adapters/aws/signing/read-der.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const one = `${'00'.repeat(31)}01`;

describe('ECDSA signatures in DER', () => {
  it('of a real key are the bytes that the raw form has', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (let made = 0; made < 50; made += 1) {
      const der = createSign('sha256').update(String(made)).sign(privateKey);
      const raw = rawSignature(der);
      expect(raw).toHaveLength(64);
      expect(Buffer.from(toDer(raw))).toEqual(der);
    }
  });

  it('of any two numbers come back', () => {
    const half = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes.some((byte) => byte !== 0));
    fc.assert(
      fc.property(half, half, (r, s) => {
        const raw = Buffer.concat([r, s]);
        expect(Buffer.from(rawSignature(toDer(raw)))).toEqual(raw);
      }),
    );
  });

  it('are short when their numbers are', () => {
    expect(Buffer.from(rawSignature(hex('30 06 0201 01 0201 01'))).toString('hex')).toBe(one + one);
  });

  it.each([
    ['nothing', ''],
    ['no sequence', '31 06 0201 01 0201 01'],
    ['a length that is too short', '30 05 0201 01 0201 01'],
    ['a length that is too long', '30 07 0201 01 0201 01'],
    ['a long form of the length', '3081 06 0201 01 0201 01'],
    ['bytes behind the sequence', '30 06 0201 01 0201 01 00'],
    ['a third number', '30 09 0201 01 0201 01 0201 01'],
    ['one number', '30 03 0201 01'],
    ['a number without bytes', '30 05 0200 0201 01'],
    ['zero', '30 06 0201 00 0201 01'],
    ['a negative number', '30 06 0201 80 0201 01'],
    ['a zero too many', '30 07 0202 0001 0201 01'],
    ['another type in place of a number', '30 06 0401 01 0201 01'],
    ['a number of 33 bytes', `30 26 0221 01${'00'.repeat(32)} 0201 01`],
    ['a number that goes on beyond the end', '30 06 0201 01 0204 01'],
    ['the raw form', one + one],
  ])('with %s are refused', (_name, text) => {
    expect(() => rawSignature(hex(text))).toThrow('not DER');
  });
});

function toDer(raw: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.subarray(first);
    const content = (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), short]) : short;
    return Buffer.concat([Buffer.of(2, content.length), content]);
  };
  const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}
