import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWildcard, parseReference, parseSource } from '#engine/references/parse.ts';
import { conformanceCases } from '../operators/conformance-cases.ts';

const grammar = conformanceCases('references').filter(({ given }) => typeof given.reference === 'string');

describe('parseReference', () => {
  it.each(grammar.map(({ id, given, expect: wanted }) => [id, given.reference as string, wanted.accepted]))(
    '%s: %s',
    (_, text, accepted) => {
      expect(parseReference(String(text)).ok).toBe(accepted);
    },
  );

  it.each([
    ['inputs.a[007]', 'inputs.a[7]'],
    ['inputs.a[000].b', 'inputs.a[0].b'],
    ['inputs.a[18446744073709551615]', 'inputs.a[18446744073709551615]'],
    ['steps.read-it.output.x[*][1]', 'steps.read-it.output.x[*][1]'],
  ])('writes %s as %s', (text, canonical) => {
    expect(parseReference(text)).toMatchObject({ ok: true, reference: { text: canonical } });
  });

  it('takes apart', () => {
    expect(parseReference('inputs.a.b[2][*].c')).toEqual({
      ok: true,
      reference: {
        root: 'input',
        text: 'inputs.a.b[2][*].c',
        slot: 'a',
        selector: ['b', 2, { wildcard: true }, 'c'],
      },
    });
    expect(parseReference('steps.s.requirements.q.reason')).toEqual({
      ok: true,
      reference: {
        root: 'verdict',
        text: 'steps.s.requirements.q.reason',
        step: 's',
        requirement: 'q',
        field: 'reason',
      },
    });
  });

  it.each([
    'inputs',
    'inputs[0]',
    'inputs.a b',
    'inputs.ä',
    'inputs.a\n',
    'steps.1a.output',
    'steps.a.status[0]',
    `inputs.${'a'.repeat(65)}`,
    `inputs.a${'.b'.repeat(600)}`,
    'verifiers.turn-check.inputs.turn',
  ])('refuses %j', (text) => {
    expect(parseReference(text).ok).toBe(false);
  });

  it('gives a canonical text that parses to itself', () => {
    const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/);
    const step = fc.oneof(
      fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/).map((field) => `.${field}`),
      fc.nat().map((index) => `[0${index}]`),
      fc.constant('[*]'),
    );
    fc.assert(
      fc.property(name, fc.array(step), (slot, steps) => {
        const parsed = parseReference(`inputs.${slot}${steps.join('')}`);
        if (!parsed.ok) throw new Error('refused');
        expect(parseReference(parsed.reference.text)).toEqual(parsed);
        expect(hasWildcard(parsed.reference)).toBe(steps.includes('[*]'));
      }),
    );
  });
});

describe('parseSource', () => {
  it('reads a slot or an outcome of a Verifier', () => {
    expect(parseSource('verifiers.turn-check.inputs.turn')).toEqual({
      ok: true,
      source: { kind: 'input', verifier: 'turn-check', slot: 'turn' },
    });
    expect(parseSource('verifiers.turn-check.requirements.is-polite.outcome')).toEqual({
      ok: true,
      source: { kind: 'outcome', verifier: 'turn-check', requirement: 'is-polite' },
    });
  });

  it.each([
    'verifiers.turn-check.inputs.turn.text',
    'verifiers.turn-check.inputs.turn[0]',
    'verifiers.turn-check.inputs.turn[*]',
    'verifiers.turn-check.requirements.polite.reason',
    'verifiers.turn-check.requirements.polite',
    'verifiers.Turn.inputs.turn',
    'verifiers.turn-check',
    'inputs.turn',
    '',
  ])('refuses %j', (text) => {
    expect(parseSource(text).ok).toBe(false);
  });
});
