import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ManifestFile } from '#engine/declare/compile.ts';
import { assert, code, declare, firstCode, judge, one, R, refusals, requirement, warnings } from './compile-cases.ts';
import { cardsIn, uidOf } from './references.ts';

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
