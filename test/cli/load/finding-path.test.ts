import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findingTokens, pointerTokens } from '#cli/load/finding-path.ts';
import { parseCardFile } from '#cli/load/parse-card-file.ts';

describe('where a finding points', () => {
  const card = {
    spec: { steps: [{ id: 'a', requirements: [{ id: 'b' }] }], requirements: [{ id: 'c' }, { id: 'b' }, { id: 'a' }] },
  };
  test.each([
    ['shape', '/spec/steps/0/action', ['spec', 'steps', '0', 'action']],
    ['shape', '', []],
    ['slot', 'inputs.answer', ['spec', 'inputs', 'answer']],
    ['operator', 'steps[0].requirements[12].check', ['spec', 'steps', 0, 'requirements', 12, 'check']],
    ['pass_rate', 'decide.pass_rate.threshold', ['spec', 'decide', 'pass_rate', 'threshold']],
    ['duplicate_id', 'b', ['spec', 'requirements', 1, 'id']],
    ['duplicate_id', 'a', ['spec', 'requirements', 2, 'id']],
  ])('%s %s', (rule, path, tokens) => expect(findingTokens(card, rule, path)).toEqual(tokens));
});

test('a pointer is read as RFC 6901 writes it', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (tokens) => {
      const pointer = tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
      expect(pointerTokens(pointer)).toEqual(tokens);
    }),
  );
});

test('every value of a document is found where it is written', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, fc.integer(), tie('list'), tie('map')),
    list: fc.array(tie('any'), { maxLength: 3 }),
    map: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('any'), { maxKeys: 3 }),
  })).map;
  fc.assert(
    fc.property(value, (root) => {
      const text = JSON.stringify(root, null, 2);
      const lines = text.split('\n');
      const [document] = parseCardFile('f', text).documents;
      const visit = (node: unknown, tokens: readonly (string | number)[]) => {
        if (typeof node !== 'object' || node === null) return;
        for (const [name, member] of Object.entries(node)) {
          const step = Array.isArray(node) ? Number(name) : name;
          const { line, column } = document!.place([...tokens, step]);
          const there = lines[line - 1]!.slice(column - 1);
          const written = Array.isArray(node) ? JSON.stringify(member, null, 2).split('\n')[0]! : JSON.stringify(name);
          expect(there.startsWith(written)).toBe(true);
          visit(member, [...tokens, step]);
        }
      };
      visit(root, []);
    }),
  );
});
