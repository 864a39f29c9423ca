import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapReferences } from '#contract/cards/map-references.ts';
import type { JsonObject } from '#contract/json.ts';
import { dropDefaults } from '#service/cards/drop-defaults.ts';
import { specHash } from '#service/cards/hashes.ts';
import { latestInLine, nextVersion, parseVersionRequest } from '#service/cards/versions.ts';

const tone = { kind: 'Verifier', name: 'tone', version: '1.0.0' };
const found = (kind: string, spec: JsonObject): string[] => {
  const places: string[] = [];
  mapReferences(kind, spec, (target, pointer, alias) => {
    const name = target.form === 'path' ? target.path : target.ref.name;
    places.push([pointer, target.form, name, ...(alias === undefined ? [] : [alias])].join(' '));
    return null;
  });
  return places;
};

describe('references of a spec', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'Agent',
      { prompt: './p.yaml', verified_by: [{ verifier: tone, runs_on: { kind: 'schedule', cron: '* * * * *' } }] },
      ['/spec/prompt path ./p.yaml', '/spec/verified_by/0/verifier card tone'],
    ],
    ['Agent', { prompt: { provider: 'openai', model: 'm', messages: [] } }, []],
    [
      'Service',
      {
        components: [
          {
            alias: 'a',
            ref: { sibling: tone },
            verified_by: [
              {
                verifier: tone,
                on_failure: [
                  { kind: 'Operator', name: 'page' },
                  { kind: 'http', url: 'x' },
                ],
              },
            ],
          },
        ],
      },
      [
        '/spec/components/0/ref sibling tone a',
        '/spec/components/0/verified_by/0/verifier card tone',
        '/spec/components/0/verified_by/0/on_failure/0 card page',
      ],
    ],
    [
      'Verifier',
      { requirements: [{ check: { kind: 'assert', expected: tone, path: './x' } }], inputs: { a: tone } },
      [],
    ],
    [
      'Verifier',
      {
        steps: [
          {
            action: {
              kind: 'agent',
              agent: { prompt: { sibling: tone } },
              workspace: { '/inputs/a': { artifact: { card: tone } }, '/inputs/b': 'inputs.x' },
            },
            requirements: [{ check: { kind: 'code', source: { artifact: { card: tone } } } }],
          },
        ],
        requirements: [{ check: { kind: 'drift', signal: { baseline_ref: { kind: 'Data', name: 'rows' } } } }],
      },
      [
        '/spec/steps/0/action/agent/prompt sibling tone',
        '/spec/steps/0/action/workspace/~1inputs~1a/artifact/card card tone',
        '/spec/steps/0/requirements/0/check/source/artifact/card card tone',
        '/spec/requirements/0/check/signal/baseline_ref card rows',
      ],
    ],
    ['Policy', { verifier: tone, prompt: './x' }, []],
  ])('%s %j', (kind, spec, places) => {
    expect(found(kind, spec)).toEqual(places);
  });

  it('survives any JSON and changes nothing but references', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Verifier', 'Agent', 'Service'),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (kind, spec) => {
          const given = spec as JsonObject;
          const mapped = mapReferences(kind, given, (target) =>
            target.form === 'path' ? target.path : (JSON.parse(JSON.stringify(target.ref)) as JsonObject),
          );
          expect(JSON.stringify(mapped)).toBe(JSON.stringify(given));
        },
      ),
    );
  });
});

describe('defaults', () => {
  it('are dropped once and for all, whatever was sent', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Verifier', 'Agent', 'Service', 'Prompt'),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (kind, spec) => {
          const once = dropDefaults(kind, spec as JsonObject);
          expect(dropDefaults(kind, once)).toEqual(once);
        },
      ),
    );
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'Agent',
      { tool_names: [], run_config: {}, prompt: { provider: 'p', model: 'm', system: null, settings: null } },
      { prompt: { provider: 'p', model: 'm' } },
    ],
    [
      'Verifier',
      { inputs: { f: { type: 'media', formats: ['jpg', 'PDF'], required: true, max_bytes: null } } },
      { inputs: { f: { type: 'media', formats: ['jpeg', 'pdf'] } } },
    ],
    [
      'Verifier',
      {
        requirements: [
          {
            id: 'a',
            statement: 's',
            severity: 'required',
            check: { kind: 'assert', path: 'inputs.a', each: null, operator: 'is_null', expected: null },
          },
        ],
      },
      { requirements: [{ id: 'a', statement: 's', check: { kind: 'assert', path: 'inputs.a', operator: 'is_null' } }] },
    ],
    [
      'Verifier',
      {
        requirements: [
          {
            id: 'a',
            statement: 's',
            check: {
              kind: 'assert',
              path: 'inputs.a',
              operator: 'equals',
              expected: { runtime: 'python', inputs: {} },
            },
          },
        ],
      },
      {
        requirements: [
          {
            id: 'a',
            statement: 's',
            check: {
              kind: 'assert',
              path: 'inputs.a',
              operator: 'equals',
              expected: { runtime: 'python', inputs: {} },
            },
          },
        ],
      },
    ],
    ['Policy', { description: null }, { description: null }],
  ])('of %s', (kind, written, kept) => {
    expect(dropDefaults(kind, written)).toEqual(kept);
  });

  it('do not change the hash, and neither does the order of members', () => {
    const spec = { b: [1, { d: 1, c: 2 }], a: 4.0 };
    expect(specHash({ a: 4, b: [1, { c: 2, d: 1 }] })).toBe(specHash(spec));
    expect(specHash({ a: 4, b: [{ c: 2, d: 1 }, 1] })).not.toBe(specHash(spec));
  });
});

describe('versions', () => {
  it('always go up within their line', () => {
    const part = fc.integer({ min: 0, max: 20 });
    const version = fc.tuple(part, part, part).map((parts) => parts.join('.'));
    const line = fc.oneof(
      fc.constant(''),
      part.map(String),
      fc.tuple(part, part).map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(
        fc.array(version),
        line,
        fc.constantFrom('patch' as const, 'minor' as const, 'major' as const),
        (versions, asked, bump) => {
          fc.pre(!(bump === 'major' && asked !== '') && !(bump === 'minor' && asked.includes('.')));
          const latest = latestInLine(asked, versions);
          const next = nextVersion(asked, bump, latest);
          expect(versions).not.toContain(next);
          expect(asked === '' || next.startsWith(`${asked}.`)).toBe(true);
          expect(latestInLine(asked, [...versions, next])).toBe(next);
        },
      ),
    );
  });

  it.each(['1.2.3.4', '01', 'v1', '1.x', '', ' 1', '1.0.0-', 'latest'])('refuse %j', (text) => {
    expect(() => parseVersionRequest(text, undefined)).toThrow('INVALID_VERSION_BLOCK');
  });
});
