import { createHash, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PublicKey } from '#contract/record.ts';
import { publicKeySchema } from '#contract/record.ts';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '#engine/record/base64.ts';
import { keyIdOf, verifySignature } from '#engine/record/dsse.ts';
import { preAuthenticationEncoding } from '#engine/record/pre-authentication-encoding.ts';
import { makeKey } from '#test/support/record-signing.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const base64Url = (text: string) => Buffer.from(text, 'hex').toString('base64url');

describe('the test vector of the DSSE protocol', () => {
  const payload = utf8('hello world');
  const type = 'http://example.com/HelloWorld';
  const encoded = preAuthenticationEncoding(type, payload);

  test('pre-authentication encoding', () => {
    expect(Buffer.from(encoded).toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  });

  test('lengths are of bytes', () => {
    expect(Buffer.from(preAuthenticationEncoding('é', utf8('ü'))).toString()).toBe('DSSEv1 2 é 2 ü');
    expect(Buffer.from(preAuthenticationEncoding('', new Uint8Array())).toString()).toBe('DSSEv1 0  0 ');
  });

  test('signature, ECDSA over P-256 with SHA-256', () => {
    const decimal = (text: string) =>
      Buffer.from(BigInt(text).toString(16).padStart(64, '0'), 'hex').toString('base64url');
    const key: PublicKey = {
      kty: 'EC',
      crv: 'P-256',
      x: decimal('46950820868899156662930047687818585632848591499744589407958293238635476079160'),
      y: decimal('5640078356564379163099075877009565129882514886557779369047442380624545832820'),
    };
    const signature = 'A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==';
    expect(verifySignature(key, encoded, decodeBase64(signature) ?? new Uint8Array())).toBe(true);
    expect(verifySignature(key, payload, decodeBase64(signature) ?? new Uint8Array())).toBe(false);
  });
});

/** RFC 8032 §7.1, tests 1 to 3. */
const ed25519Vectors = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

describe('Ed25519 of RFC 8032', () => {
  test.each(ed25519Vectors)('%s', (key, message, signature) => {
    const jwk: PublicKey = { kty: 'OKP', crv: 'Ed25519', x: base64Url(key) };
    expect(verifySignature(jwk, hex(message), hex(signature))).toBe(true);
    expect(verifySignature(jwk, hex(`${message}00`), hex(signature))).toBe(false);
  });

  test('a key of small order signs nothing', () => {
    const jwk: PublicKey = { kty: 'OKP', crv: 'Ed25519', x: base64Url(`01${'00'.repeat(31)}`) };
    expect(verifySignature(jwk, utf8('anything'), hex(`01${'00'.repeat(63)}`))).toBe(false);
  });
});

describe('signatures', () => {
  test.each(['ed25519', 'p256'] as const)('%s of the platform holds; a changed bit or byte count does not', (type) => {
    const key = makeKey(type);
    const jwk = publicKeySchema.parse(key.jwk);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(511), (message, bit) => {
        const signature = key.sign(message);
        expect(verifySignature(jwk, message, signature)).toBe(true);
        const changed = Uint8Array.from(signature);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(verifySignature(jwk, message, changed)).toBe(false);
        expect(verifySignature(jwk, message, signature.subarray(1))).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test('any bytes are answered, never thrown at', () => {
    const coordinate = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('base64url'));
    const key = fc.oneof(
      coordinate.map((x): PublicKey => ({ kty: 'OKP', crv: 'Ed25519', x })),
      fc.tuple(coordinate, coordinate).map(([x, y]): PublicKey => ({ kty: 'EC', crv: 'P-256', x, y })),
    );
    fc.assert(
      fc.property(key, fc.uint8Array(), fc.uint8Array({ maxLength: 80 }), (jwk, message, signature) => {
        expect(verifySignature(jwk, message, signature)).toBe(false);
      }),
    );
  });

  test('a DER signature is false', () => {
    const key = makeKey('p256');
    expect(verifySignature(publicKeySchema.parse(key.jwk), utf8('x'), key.signDer(utf8('x')))).toBe(false);
  });
});

describe('key ids', () => {
  test.each(['ed25519', 'p256'] as const)('%s: of the SPKI that the platform writes', (type) => {
    const { jwk } = makeKey(type);
    const spki = createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
    const digest = createHash('sha256').update(spki).digest('hex').slice(0, 16);
    expect(keyIdOf(publicKeySchema.parse(jwk))).toBe(`${type === 'p256' ? 'es256' : 'ed25519'}:${digest}`);
  });

  test('coordinates of another length have none', () => {
    expect(keyIdOf({ kty: 'OKP', crv: 'Ed25519', x: 'AAAA' })).toBeNull();
    expect(keyIdOf({ kty: 'EC', crv: 'P-256', x: base64Url('00'.repeat(32)), y: '!' })).toBeNull();
  });
});

describe('base64', () => {
  test('there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  test.each(['A', 'AA', 'AAA', 'AA=', 'AB==', 'AAB=', '====', 'A===', 'AA==AA==', ' AA==', 'AA==\n', '-_==', 'A A='])(
    '%j is none',
    (text) => {
      expect(decodeBase64(text)).toBeNull();
    },
  );

  test.each(['A', 'AB', 'AA==', 'A/', 'A+AA', 'AA\n'])('%j is no base64url', (text) => {
    expect(decodeBase64Url(text)).toBeNull();
  });

  test('one text a byte string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ABab01+/='), maxLength: 12 }), (text) => {
        const bytes = decodeBase64(text);
        if (bytes !== null) expect(encodeBase64(bytes)).toBe(text);
      }),
    );
  });
});
