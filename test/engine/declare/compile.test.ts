import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { type CompileInput, compile, type ManifestFile } from '#engine/declare/compile.ts';
import { cardsIn, lenientReferences, uidOf } from './references.ts';

type Options = Partial<Omit<CompileInput, 'spec'>>;

function declare(spec: Json, options: Options = {}) {
  return compile({ api: 'wyrd/v1', dialect: 'flat', references: lenientReferences, ...options, spec });
}

function refusals(spec: Json, options: Options = {}): readonly (readonly [string, string])[] {
  const compiled = declare(spec, options);
  const findings = compiled.ok ? [] : compiled.findings.filter(({ severity }) => severity === undefined);
  return findings.map(({ rule, path }) => [rule, path]);
}

function firstCode(spec: Json, options: Options = {}): string | undefined {
  const compiled = declare(spec, options);
  return compiled.ok ? undefined : compiled.findings[0]?.code;
}

function warnings(spec: Json): readonly string[] {
  const compiled = declare(spec);
  return compiled.ok ? compiled.warnings.map(({ rule }) => rule) : ['refused'];
}

const code = (inputs: JsonObject = {}) => ({
  kind: 'code',
  entrypoint: 'run',
  source: { inline: 'def run(): pass' },
  inputs,
});
const assert = (more: JsonObject) => ({ kind: 'assert', path: 'inputs.doc', operator: 'is_null', ...more });
const requirement = (check: Json, id = 'r') => ({ id, statement: 's', check });
const judge = (more: JsonObject = {}, prompt: JsonObject = {}) => ({
  kind: 'agent',
  agent: {
    prompt: {
      provider: 'openai',
      model: 'judge-1',
      messages: [{ role: 'user', content: 'Judge {{doc}}' }],
      response_format: 'verdict',
      ...prompt,
    },
    execution_route: { kind: 'native' },
  },
  inputs: { doc: 'inputs.doc' },
  ...more,
});
const one = (check: Json, more: JsonObject = {}): JsonObject => ({
  inputs: { doc: { type: 'json' } },
  requirements: [requirement(check)],
  ...more,
});
const R = 'requirements[0].check';

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

describe('dialects', () => {
  const withTools = (tools: string[]) => {
    const call = judge();
    return one({ ...call, agent: { ...call.agent, tool_names: tools } });
  };
  it('keeps the limits of the page for check Agents of spaced Cards', () => {
    const spaced = { dialect: 'spaced' } as const;
    expect(refusals(withTools(['bifrost.query']), spaced)).toEqual([]);
    expect(refusals(withTools(['cards.list']), spaced)).toEqual([['check_agent_tools', R]]);
    expect(refusals(withTools(['cards.list']))).toEqual([]);
    const files = one(judge({ workspace: { '/inputs/d': 'inputs.doc' } }));
    expect(refusals(files, spaced)).toEqual([['check_agent_workspace', R]]);
    expect(refusals(files)).toEqual([['agent_tools', R]]);
  });

  it('refuses a space in a reference of a flat Card, and a file path anywhere', () => {
    const ref = { kind: 'Agent', name: 'judge', space: 'desk' };
    expect(refusals(one(judge({ agent: ref })))).toEqual([['shape', '/spec/requirements/0/check/agent/space']]);
    expect(refusals(one(judge({ agent: ref })), { dialect: 'spaced' })).toEqual([]);
    expect(firstCode(one(judge({ agent: './judge.yaml' })))).toBe('WYRD_REGISTRY_400_UNRESOLVED_PATH_REF');
  });

  it('tells Cards that do not exist from siblings that were not sent', () => {
    const none = { references: cardsIn([]) };
    const first = (agent: Json) => firstCode(one(judge({ agent })), none);
    expect(first({ kind: 'Agent', name: 'judge' })).toBe('WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY');
    expect(first({ sibling: { kind: 'Agent', name: 'judge' } })).toBe('WYRD_REGISTRY_400_UNRESOLVED_INLINE_REFERENCE');
    expect(refusals(one(judge({ agent: { kind: 'Prompt', name: 'judge' } })), none)).toEqual([['agent_kind', R]]);
  });
});

describe('touchstone/v1', () => {
  const strict = { api: 'touchstone/v1' } as const;
  const list = { kind: 'assert', each: 'inputs.doc', operator: 'is_string' };
  it.each<[string, JsonObject, string]>([
    ['normalize', one(assert({ operator: 'contains', expected: 'a', normalize: 'nfkc' })), 'normalize'],
    ['allow_empty', one({ ...list, allow_empty: true }), 'allow_empty'],
    ['min_items', one({ ...list, min_items: 2 }), 'min_items'],
    ['require_quote', one(judge({ require_quote: true })), 'require_quote'],
  ])('has the key %s, which wyrd/v1 does not know', (_, spec, key) => {
    expect(refusals(spec, strict)).toEqual([]);
    expect(refusals(spec)).toEqual([['shape', `/spec/requirements/0/check/${key}`]]);
  });

  it.each<[string, JsonObject, string]>([
    ['an empty list to hold', assert({ operator: 'all_of', expected: [] }), 'vacuous_expected'],
    ['an empty text to find', assert({ operator: 'contains', expected: '' }), 'vacuous_expected'],
    [
      'a range upside down',
      assert({ operator: { kind: 'in_range', min: 2, max: 1, inclusive: true } }),
      'operator_config',
    ],
    ['nothing expected', assert({ operator: 'equals' }), 'expected'],
    ['an expected that never fits', assert({ operator: 'greater_than', expected: 'a' }), 'expected'],
  ])('refuses %s, of which wyrd/v1 warns', (_, check, rule) => {
    expect(refusals(one(check), strict)).toEqual([[rule, R]]);
    expect(warnings(one(check))).toEqual([rule]);
  });

  it.each<[string, JsonObject]>([
    ['normalize on numbers', assert({ operator: 'is_positive', normalize: 'nfkc' })],
    ['min_items without each', assert({ min_items: 1 })],
    ['min_items with allow_empty', { ...list, min_items: 1, allow_empty: true }],
    ['allow_empty where nothing is vacuous', assert({ allow_empty: true })],
  ])('refuses the option %s', (_, check) => {
    expect(refusals(one(check), strict)).toEqual([['option', R]]);
  });

  it('refuses schemas and selectors that wyrd/v1 finds only when it runs', () => {
    const schema = { inputs: { doc: { type: 'json', schema: { pattern: '(?=x)' } } } };
    expect(refusals(schema, strict)).toEqual([['slot', 'inputs.doc']]);
    expect(warnings(schema)).toEqual(['slot']);
    const trace = one(
      { kind: 'trace', on: 'inputs.t', span_selector: '$.spans[x]', operator: 'is_null' },
      { inputs: { t: { type: 'trace' } } },
    );
    expect(refusals(trace, strict)).toEqual([['jsonpath', R]]);
    expect(warnings(trace)).toEqual(['jsonpath']);
  });

  it('warns of empty statements and of gates on wording', () => {
    expect(warnings({ ...one(assert({})), requirements: [{ ...requirement(assert({})), statement: ' ' }] })).toEqual([
      'statement',
    ]);
    const steps = [
      { id: 'a', action: code(), requirements: [requirement(assert({}), 'q')] },
      { id: 'b', action: code(), when: { path: 'steps.a.requirements.q.reason', operator: 'equals', expected: 'x' } },
    ];
    expect(warnings({ inputs: { doc: { type: 'json' } }, steps })).toEqual(['reason_gate']);
  });
});

describe('the plan', () => {
  const manifest: ManifestFile[] = [
    { relative_path: 'b/q.md', sha256: `${'A'.repeat(43)}=`, size_bytes: 3, content_type: null },
    { relative_path: 'a.pdf', sha256: 'ff'.repeat(32), size_bytes: 4, content_type: 'application/pdf' },
  ];
  const kit = { kind: 'Artifact', name: 'kit', version: '1.0.0' };
  const references = cardsIn([{ kind: 'Artifact', metadata: { name: 'kit', version: '1.0.0' }, spec: {} }], manifest);
  const call = judge();
  const reader = { ...call, agent: { ...call.agent, tool_names: ['fs.read'] } };
  const spec = {
    inputs: { doc: { type: 'json' }, attachment_0: { type: 'json' }, other: { type: 'json' } },
    steps: [
      {
        id: 'z',
        action: code({ x: 'steps.a.output', s: 'steps.b.status' }),
        requirements: [requirement(assert({}), 'z2'), requirement(assert({}), 'z1')],
      },
      { id: 'b', action: code({ x: 'inputs.other' }), requirements: [requirement(assert({}), 'b1')] },
      { id: 'a', action: code({ x: 'inputs.doc.deep[0]' }) },
    ],
    requirements: [
      requirement({
        ...reader,
        inputs: { doc: 'steps.z.output' },
        workspace: {
          '/inputs/k': { artifact: { card: kit, path: null } },
          '/inputs/one': { artifact: { card: kit, path: 'a.pdf' } },
        },
      }),
    ],
  };
  const compiled = declare(spec, { references });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  const { verifier } = compiled;

  it('orders stages, steps and requirements', () => {
    expect(verifier.stages).toEqual([['a', 'b'], ['z']]);
    expect(verifier.steps.map(({ id }) => id)).toEqual(['a', 'b', 'z']);
    expect(verifier.requirements.map(({ id }) => id)).toEqual(['b1', 'z2', 'z1', 'r']);
    expect(verifier.steps.at(-1)?.dependencies).toEqual(['a', 'b']);
  });

  it('pins fixed files as slots, each once, declared names skipped', () => {
    expect(Object.entries(verifier.attachments).map(([slot, { path, format }]) => [slot, path, format])).toEqual([
      ['attachment_1', 'a.pdf', 'pdf'],
      ['attachment_2', 'b/q.md', 'markdown'],
    ]);
    expect(verifier.attachments.attachment_2?.sha256).toBe('00'.repeat(32));
    const check = verifier.requirements.at(-1)?.check;
    expect(check).toMatchObject({
      workspace: [
        { path: '/inputs/k/a.pdf', source: { slot: 'attachment_1' } },
        { path: '/inputs/k/b/q.md', source: { slot: 'attachment_2' } },
        { path: '/inputs/one', source: { slot: 'attachment_1' } },
      ],
    });
  });

  it('follows evidence through steps, not through statuses', () => {
    expect(verifier.steps.map(({ action }) => 'reach' in action && action.reach)).toEqual([
      ['doc'],
      ['other'],
      ['doc'],
    ]);
    expect(verifier.requirements.at(-1)?.check).toMatchObject({ reach: ['attachment_1', 'attachment_2', 'doc'] });
  });

  it('shows the check as authored, defaults dropped, references exact', () => {
    const { authored } = verifier.requirements.at(-1) ?? {};
    expect(authored).toMatchObject({
      workspace: { '/inputs/k': { artifact: { card: { ...kit, uid: uidOf({ kind: 'Artifact', name: 'kit' }) } } } },
    });
    expect(JSON.stringify(authored)).not.toContain('null');
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(verifier))).toEqual(verifier);
  });
});
