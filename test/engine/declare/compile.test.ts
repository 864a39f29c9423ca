import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { assert, code, declare, firstCode, judge, one, R, refusals, requirement } from './compile-cases.ts';

describe('findings', () => {
  it('reports every shape finding in document order, missing members last', () => {
    const spec = {
      requirements: [
        { id: '1', check: { kind: 'assert', path: '$.x', operator: 'nope', more: 1 } },
        { id: 'b', statement: 's', check: { kind: 'llm' } },
      ],
      what: 1,
      inputs: { 'a-b': { type: 'json' }, ok: { type: 'media', formats: ['exe'], max_bytes: '1' } },
    };
    expect(refusals(spec).map(([, path]) => path)).toEqual([
      '/spec/requirements/0/id',
      '/spec/requirements/0/check/path',
      '/spec/requirements/0/check/operator',
      '/spec/requirements/0/check/more',
      '/spec/requirements/0/statement',
      '/spec/requirements/1/check/kind',
      '/spec/what',
      '/spec/inputs/a-b',
      '/spec/inputs/ok/formats/0',
      '/spec/inputs/ok/max_bytes',
    ]);
  });

  it('reports every broken rule in the order of the contract', () => {
    const spec = {
      inputs: { b: { type: 'media', formats: [] }, a: 'inputs.x', group_id: { type: 'json' } },
      order_by: 'inputs.b',
      decide: { pass_rate: { threshold: 2 } },
      steps: [
        { id: 's', timeout_seconds: 0, retries: 9, depends_on: ['s', 'gone'], action: code({ x: 'inputs.none' }) },
        { id: 's', action: code() },
      ],
      requirements: [requirement(assert({ path: 'steps.t.output' }))],
    };
    expect(refusals(spec)).toEqual([
      ['duplicate_id', 's'],
      ['source', 'inputs.a'],
      ['slot', 'inputs.b'],
      ['slot', 'inputs.group_id'],
      ['order_by', 'order_by'],
      ['pass_rate', 'decide.pass_rate.threshold'],
      ['step_budget', 'steps[0].timeout_seconds'],
      ['step_budget', 'steps[0].retries'],
      ['unknown_reference', 'steps[0].depends_on'],
      ['unknown_reference', 'steps[0].action'],
      ['graph', 'steps'],
      ['unknown_reference', R],
    ]);
  });

  it('says null is absent where the contract does, and refuses it elsewhere', () => {
    const absent = {
      description: null,
      order_by: null,
      context_capture: null,
      inputs: { doc: { type: 'json', schema: null }, m: { type: 'media', formats: ['pdf'], max_bytes: null } },
      steps: [{ id: 'a', when: null, timeout_seconds: null, action: code() }],
      requirements: [
        requirement(assert({ path: null, each: 'inputs.doc' })),
        requirement(judge({}, { system: null, settings: null, response_format: { kind: 'verdict', data: null } }), 'q'),
      ],
    };
    expect(refusals(absent)).toEqual([]);
    const refused = [
      { inputs: null },
      { steps: null },
      { decide: null },
      one(judge({ workspace: null })),
      one(assert({ operator: null })),
    ];
    for (const spec of refused) expect(refusals(spec)[0]?.[0]).toBe('shape');
    expect(refusals(one({ ...code(), response_format: null }))).toEqual([
      ['shape', '/spec/requirements/0/check/response_format'],
    ]);
  });

  it('refuses a name that cannot be kept apart from a prototype', () => {
    const spec = JSON.parse('{"inputs": {"__proto__": {"type": "json"}}}');
    expect(refusals(spec)).toEqual([['shape', '/spec/inputs/__proto__']]);
    const call = one({ ...code(), inputs: JSON.parse('{"__proto__": "inputs.doc"}') });
    expect(refusals(call)).toEqual([['shape', '/spec/requirements/0/check/inputs/__proto__']]);
    expect(refusals({ inputs: { constructor: { type: 'json' }, toString: { type: 'json' } } })).toEqual([]);
    expect(refusals(one(assert({ path: 'inputs.constructor' })))).toEqual([['unknown_reference', R]]);
    expect(refusals(one(assert({ path: 'steps.toString.output' })))).toEqual([['unknown_reference', R]]);
  });
});

describe('bounds', () => {
  it.each([
    ['requirements', { requirements: Array.from({ length: 1_000_000 }, () => ({})) }, '/spec/requirements'],
    ['steps', { steps: Array.from({ length: 1_000_000 }, () => ({})) }, '/spec/steps'],
    [
      'step requirements',
      { steps: Array.from({ length: 6 }, () => ({ requirements: Array(100).fill(1) })) },
      '/spec/steps',
    ],
    ['slots', { inputs: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`s${n}`, 1])) }, '/spec/inputs'],
  ])('counts %s before it reads them', (_, spec, path) => {
    expect(refusals(spec)).toEqual([['shape', path]]);
  });

  it('refuses what is too large, too deep or no Unicode', () => {
    expect(firstCode({ description: 'x'.repeat(262_144) })).toBe('WYRD_REGISTRY_400_SPEC_TOO_LARGE');
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(refusals(one(assert({ operator: 'equals', expected: deep })))[0]?.[0]).toBe('shape');
    expect(refusals({ description: '\ud800' })).toEqual([['shape', '/spec/description']]);
  });

  it('does not compile more patterns than it can afford', () => {
    const requirements = Array.from({ length: 500 }, (_, n) =>
      requirement(assert({ operator: { kind: 'matches_regex', pattern: `(?:\\w{99}){99}${n}` } }), `r${n}`),
    );
    const found = refusals({ inputs: { doc: { type: 'json' } }, requirements });
    expect(found.every(([rule]) => rule === 'operator')).toBe(true);
    expect(found).toHaveLength(500);
  });

  it('never throws on arbitrary JSON', () => {
    const word = fc.constantFrom(
      'inputs',
      'steps',
      'requirements',
      'id',
      'check',
      'kind',
      'assert',
      'path',
      'operator',
      'action',
      'agent',
      'code',
      'when',
      'prompt',
      'messages',
      'response_format',
      'verdict',
      'type',
      'json',
      'source',
      'workspace',
      '__proto__',
      'inputs.doc',
      'doc',
      'steps.a.output',
      'equals',
      'drift',
      'signal',
      'schema',
      '$ref',
      '#',
      'trace',
      'span_selector',
      '$.spans',
      'decide',
      'extract',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6, depthSize: 'large' },
        word,
        fc.constantFrom(null, true, 0, -1, 1.5, 1e300, ''),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.array(fc.tuple(word, tie('tree')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom('wyrd/v1' as const, 'touchstone/v1' as const), (spec, api) => {
        const compiled = declare(spec as Json, { api });
        expect(compiled.ok || compiled.findings.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on a valid spec in which one place was changed', () => {
    const spec = one(judge({ workspace: { '/inputs/d': 'inputs.doc' } }), {
      steps: [
        {
          id: 'a',
          action: code({ x: 'inputs.doc' }),
          when: { path: 'inputs.doc', operator: 'is_null' },
          requirements: [requirement(assert({}), 'q')],
        },
        { id: 'b', action: { kind: 'extract', from: 'inputs.doc' }, depends_on: ['a'] },
      ],
    });
    const paths: (string | number)[][] = [];
    const walk = (value: unknown, path: (string | number)[]) => {
      paths.push(path);
      if (typeof value === 'object' && value !== null) {
        for (const [name, inner] of Object.entries(value))
          walk(inner, [...path, Array.isArray(value) ? Number(name) : name]);
      }
    };
    walk(spec, []);
    fc.assert(
      fc.property(fc.constantFrom(...paths.slice(1)), fc.jsonValue(), (path, value) => {
        const copy = structuredClone(spec);
        const owner = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>((at, step) => at[step] as Record<string, unknown>, copy);
        owner[path.at(-1) ?? ''] = value;
        declare(copy);
      }),
      { numRuns: 500 },
    );
  });
});
