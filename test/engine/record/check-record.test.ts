import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '#contract/json.ts';
import { cardDigest } from '#engine/record/card.ts';
import { checkRecord, type RecordCheck, workToRepeat } from '#engine/record/check-record.ts';
import { type JudgedExecution, judgeLetter } from '#test/support/judged-letter.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { makeKey, published, signJson } from '#test/support/record-signing.ts';
import { tamper } from '#test/support/tampered-record.ts';

const key = makeKey('ed25519');
const keys = { keys: [published(key, { valid_from: '2026-01-01T00:00:00Z' })] };

/** An answer, whatever was given: a word and defects that fit it. */
function expectReport(input: RecordCheck): void {
  const { result, defects } = checkRecord(input);
  const severities = new Set(defects.map(({ severity }) => severity));
  expect(result).toBe(severities.has('invalid') ? 'invalid' : severities.has('undecidable') ? 'undecidable' : 'valid');
  expect(Array.isArray(workToRepeat(input))).toBe(true);
}

describe('hostile material', () => {
  let honest: RecordCheck;
  let judged: JudgedExecution;
  beforeAll(async () => {
    judged = await judgeLetter();
    honest = tamper(judged, [{ in: 'inclusion', op: 'flip' }]);
  });

  test('any text in any place is answered', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('['.repeat(100_000)));
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({
          record: text,
          result: maybe(text),
          checkpoint: maybe(text),
          keys: maybe(fc.jsonValue()),
          cards: maybe(fc.array(text, { maxLength: 3 })),
        }),
        fc.subarray(['record', 'result', 'checkpoint', 'keys', 'cards'] as const),
        (random, places) => {
          const changed = Object.fromEntries(places.map((place) => [place, random[place]]));
          expectReport({ ...honest, ...changed });
        },
      ),
      { numRuns: numRuns(300) },
    );
  });

  test('any signed JSON is answered', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const record = JSON.stringify({ envelope: signJson('statement', value as Json, key) });
        const { defects } = checkRecord({ ...honest, record, keys });
        expect(defects.filter(({ code }) => code !== 'schema').map(({ step }) => step)).not.toContain('signature');
      }),
      { numRuns: numRuns(100) },
    );
  });

  test('one value of the result, statement or Verifier is another one', () => {
    const places = (['statement', 'result'] as const).flatMap((place) =>
      pointersOf(JSON.parse(JSON.stringify(judged[place]))).map((path) => ({ in: place, path })),
    );
    const cards = pointersOf(judged.cards[0] as Json).map((path) => ({ in: 'cards', path: `/0${path}` }));
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
      fc.constantFrom<Json>('__proto__', 1e308, -0, []),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places, ...cards), value, ({ in: place, path }, other) => {
        let input: RecordCheck;
        try {
          input = tamper(judged, [{ in: place, op: 'set', path, value: other }]);
        } catch {
          // The change changed nothing, or left no subject to sign: no case.
          return;
        }
        expectReport(input);
      }),
      { numRuns: numRuns(400) },
    );
  });

  test('a deep result, a large record, many cards and many defects are bounded', () => {
    const started = performance.now();
    const deep = `{"outcome":${'['.repeat(1_000_000)}`;
    const many = JSON.stringify({
      envelope: signJson(
        'statement',
        Object.fromEntries(Array.from({ length: 50_000 }, (_, position) => [`m${position}`, 1])),
        key,
      ),
    });
    expectReport({ ...honest, result: deep });
    expectReport({ ...honest, record: many, keys });
    expectReport({ ...honest, cards: Array.from({ length: 2_000 }, () => '{}') });
    expect(
      checkRecord({ ...honest, cards: Array.from({ length: 2_000 }, () => '{}') }).defects.length,
    ).toBeLessThanOrEqual(500);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('the digest of a Card', () => {
  const card = {
    apiVersion: 'wyrd/v1',
    kind: 'Agent',
    metadata: { name: 'agent', version: '1.0.0', uid: 'u' },
    spec: { a: 1 },
  };
  const digest = cardDigest(card);

  test.each([
    ['around it', { card, created_at: 'x' }],
    ['with what changes', { ...card, status: { phase: 'deprecated' }, relationships: {} }],
    ['in the spaced dialect', { ...card, metadata: { ...card.metadata, space: 'default', spec_hash: 'x' } }],
  ])('is the same %s', (_name, shown) => {
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(cardDigest(shown as Json)).toBe(digest);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'of a kind called %s is one like any other',
    (kind) => {
      expect(cardDigest({ ...card, kind })).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test('references have no space', () => {
    const verifier = (agent: Json): Json => ({
      ...card,
      kind: 'Verifier',
      spec: { requirements: [{ id: 'r', check: { kind: 'agent', agent } }] },
    });
    const ref = { kind: 'Agent', name: 'judge', version: '1.0.0', uid: 'v' };
    expect(cardDigest(verifier({ ...ref, space: 'default' }))).toBe(cardDigest(verifier(ref)));
    expect(cardDigest(verifier({ ...ref, version: '2.0.0' }))).not.toBe(cardDigest(verifier(ref)));
  });

  test.each([null, [], {}, { ...card, metadata: { name: 'agent', version: '1.0.0' } }, { ...card, spec: 1 }])(
    '%j is no declared Card',
    (value) => {
      expect(cardDigest(value as Json)).toBeNull();
    },
  );
});

/** Every place of a value. */
function pointersOf(value: Json, at = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [at];
  const children = Object.entries(value).flatMap(([name, child]) => pointersOf(child as Json, `${at}/${name}`));
  return at === '' ? children : [at, ...children];
}
