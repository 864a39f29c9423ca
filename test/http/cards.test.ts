import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { declarationSchema } from '#contract/requests/cards.ts';
import { card, desk, makeHost, sibling, type TestHost, toneSpec, uidsOf } from '#test/support/embedded-host.ts';

const outcomes = (answered: { readonly json: { readonly outcomes: { readonly outcome: string }[] } }) =>
  answered.json.outcomes.map(({ outcome }) => outcome);

const bindingIds = async (host: TestHost, uid: string): Promise<string[]> =>
  (await host.call('GET', `/v1/cards/by-uid/Service/${uid}`)).json.card.status.verification.binding_ids;

describe('declaring Cards', () => {
  it('answers the closed shape with root, uids and hashes, in both dialects', async () => {
    await using host = await makeHost();
    const flat = await host.declare(desk());
    expect(flat.status).toBe(201);
    expect(declarationSchema.safeParse(flat.json).error).toBeUndefined();
    expect(flat.json.root).toEqual({ kind: 'Service', name: 'desk', version: '1.0.0', uid: uidsOf(flat).desk });
    expect(outcomes(flat)).toEqual(Array(4).fill('declared'));
    const spaced = await host.declare(desk({ version: '1.0.0', space: 'desk-space' }));
    expect(spaced.json.root.space).toBe('desk-space');
    expect(uidsOf(spaced).tone).not.toBe(uidsOf(flat).tone);
  });

  it('keeps uids and bindings of what is declared again, in any order and either dialect', async () => {
    await using host = await makeHost();
    const first = await host.declare(desk());
    const ids = await bindingIds(host, uidsOf(first).desk!);
    for (const again of [desk(), [...desk()].reverse(), desk({ version: '1.0.0', space: 'default' })]) {
      const answered = await host.declare(again);
      expect(outcomes(answered)).toEqual(Array(4).fill('deduplicated'));
      expect(uidsOf(answered)).toEqual(uidsOf(first));
    }
    expect(await bindingIds(host, uidsOf(first).desk!)).toEqual(ids);
    expect(ids).toHaveLength(1);
  });

  it('takes defaults written out and left out as one content', async () => {
    await using host = await makeHost();
    const spelled: JsonObject = {
      ...toneSpec,
      description: null,
      steps: [],
      decide: 'all',
      context_capture: 'full',
      inputs: { answer: { type: 'json', required: true, schema: null } },
    };
    const first = await host.declare([card('Verifier', 'tone', toneSpec)]);
    const again = await host.declare([card('Verifier', 'tone', spelled)]);
    expect(outcomes(again)).toEqual(['deduplicated']);
    expect(again.json.outcomes[0].spec_hash).toBe(first.json.outcomes[0].spec_hash);
  });

  it('hashes the resolved spec with BLAKE3 over RFC 8785', async () => {
    await using host = await makeHost();
    const declared = await host.declare([card('Policy', 'rule', { b: 1, a: 'x' })]);
    const hash = bytesToHex(blake3(new TextEncoder().encode('{"a":"x","b":1}')));
    expect(declared.json.outcomes[0].spec_hash).toBe(hash);
  });

  it('refuses other content under a version, also after its deletion, and stores nothing of the declaration', async () => {
    await using host = await makeHost();
    const declared = await host.declare([card('Policy', 'rule', { a: 1 })]);
    const drift = [card('Policy', 'rule', { a: 2 }), card('Policy', 'other', { a: 1 })];
    const answered = await host.declare([drift[0]!]);
    expect([answered.status, answered.json.code]).toEqual([409, 'WYRD_REGISTRY_409_SPEC_DRIFT']);
    const tone = desk()[2]!;
    const service = card('Service', 'desk', { verified_by: [{ verifier: sibling('Verifier', 'tone') }] });
    await host.declare([service, tone]);
    const changed = card('Verifier', 'tone', { ...toneSpec, description: 'other' });
    expect((await host.declare([{ ...service, metadata: { name: 'desk', version: '2.0.0' } }, changed])).status).toBe(
      409,
    );
    expect((await host.call('GET', '/v1/cards/by-ref?kind=Service&name=desk&version=2.0.0')).status).toBe(404);
    await host.call('DELETE', `/v1/cards/by-uid/Policy/${uidsOf(declared).rule}`);
    expect((await host.declare([drift[0]!])).json.code).toBe('WYRD_REGISTRY_409_SPEC_DRIFT');
    const revived = await host.declare([card('Policy', 'rule', { a: 1 })]);
    expect(outcomes(revived)).toEqual(['declared']);
    expect(uidsOf(revived).rule).not.toBe(uidsOf(declared).rule);
  });

  it.each<[string, JsonObject[], string[]]>([
    ['nothing', [{}, {}, {}], ['0.1.0', '0.1.1', '0.1.2']],
    ['bumps', [{}, { bump: 'minor' }, { bump: 'major' }, {}], ['0.1.0', '0.2.0', '1.0.0', '1.0.1']],
    ['a line', [{ version: '1' }, { version: '1' }, { version: '1', bump: 'minor' }], ['1.0.0', '1.0.1', '1.1.0']],
    ['lines side by side', [{ version: '1.2' }, { version: '2' }, { version: '1.2' }], ['1.2.0', '2.0.0', '1.2.1']],
    ['after an exact one', [{ version: '3.4.5' }, {}, { version: '3' }], ['3.4.5', '3.4.6', '3.4.7']],
    ['beside a pre-release', [{ version: '1.0.0-rc.1' }, {}], ['1.0.0-rc.1', '0.1.0']],
  ])('picks versions from %s', async (_name, asked, versions) => {
    await using host = await makeHost();
    const given: string[] = [];
    for (const [index, metadata] of asked.entries()) {
      const declared = await host.declare([card('Policy', 'rule', { index }, metadata)]);
      given.push(declared.json.root.version);
    }
    expect(given).toEqual(versions);
    const again = await host.declare([card('Policy', 'rule', { index: asked.length - 1 }, asked.at(-1)!)]);
    expect(again.json.root.version).toBe(versions.at(-1));
    expect(outcomes(again)).toEqual(['deduplicated']);
  });

  it.each<[string, unknown, string]>([
    [
      'an unknown member of the envelope',
      [{ ...card('Policy', 'rule', {}), extra: 1 }],
      'WYRD_REGISTRY_400_INVALID_CARD_SPEC',
    ],
    ['an unknown kind', [card('Gadget', 'rule', {})], 'WYRD_REGISTRY_400_INVALID_CARD_SPEC'],
    ['a bad name', [card('Policy', 'Rule!', {})], 'WYRD_REGISTRY_400_INVALID_CARD_SPEC'],
    ['a bad version', [card('Policy', 'rule', {}, { version: '01' })], 'WYRD_REGISTRY_400_INVALID_VERSION_BLOCK'],
    [
      'a bump of an exact version',
      [card('Policy', 'rule', {}, { version: '1.0.0', bump: 'minor' })],
      'WYRD_REGISTRY_400_INVALID_VERSION_BLOCK',
    ],
    [
      'a bump out of its line',
      [card('Policy', 'rule', {}, { version: '1.2', bump: 'minor' })],
      'WYRD_REGISTRY_400_INVALID_VERSION_BLOCK',
    ],
    ['one Card twice', [card('Policy', 'rule', {}), card('Policy', 'rule', {})], 'WYRD_SPEC_400_DUPLICATE_SUBMISSION'],
    ['two roots', [card('Policy', 'rule', {}), card('Policy', 'other', {})], 'WYRD_SPEC_400_VALIDATION'],
    ['no Card', [], 'WYRD_SPEC_400_VALIDATION'],
    [
      'a file path',
      [card('Service', 'desk', { verified_by: [{ verifier: './tone.yaml' }] })],
      'WYRD_REGISTRY_400_UNRESOLVED_PATH_REF',
    ],
    [
      'an unknown sibling',
      [card('Service', 'desk', { verified_by: [{ verifier: sibling('Verifier', 'tone') }] })],
      'WYRD_REGISTRY_400_UNRESOLVED_INLINE_REFERENCE',
    ],
    [
      'an unknown Card',
      [card('Service', 'desk', { verified_by: [{ verifier: { kind: 'Verifier', name: 'tone', version: '1.0.0' } }] })],
      'WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY',
    ],
    ['a large spec', [card('Policy', 'rule', { text: 'x'.repeat(262_145) })], 'WYRD_REGISTRY_400_SPEC_TOO_LARGE'],
    [
      'a manifest path that leaves',
      [
        {
          ...card('Artifact', 'manual', {}),
          artifacts: [{ relative_path: '../q', sha256: `${'A'.repeat(43)}=`, size_bytes: 1 }],
        },
      ],
      'WYRD_REGISTRY_400_INVALID_CARD_SPEC',
    ],
    [
      'a path inside another',
      [
        {
          ...card('Artifact', 'manual', {}),
          artifacts: ['a', 'a/b'].map((relative_path) => ({
            relative_path,
            sha256: `${'A'.repeat(43)}=`,
            size_bytes: 1,
          })),
        },
      ],
      'WYRD_REGISTRY_400_INVALID_ARTIFACT_PATH',
    ],
    [
      'another manifest hash',
      [
        {
          ...card('Artifact', 'manual', {}, { version: '1.0.0', artifact_hash: 'a'.repeat(64) }),
          artifacts: [{ relative_path: 'a', sha256: `${'A'.repeat(43)}=`, size_bytes: 1 }],
        },
      ],
      'WYRD_REGISTRY_400_MANIFEST_HASH_MISMATCH',
    ],
  ])('refuses %s', async (_name, submissions, code) => {
    await using host = await makeHost();
    const answered = await host.declare(submissions as unknown[]);
    expect(answered.json.code).toBe(code);
    expect((await host.call('GET', '/v1/cards')).json.items).toEqual([]);
  });

  it('refuses Cards that refer to each other in a circle', async () => {
    await using host = await makeHost();
    const agent = (name: string, other: string) =>
      card('Agent', name, { prompt: sibling('Agent', other), execution_route: { kind: 'native' } });
    const answered = await host.declare([agent('left', 'right'), agent('right', 'left')]);
    expect(answered.json.code).toBe('WYRD_REGISTRY_400_DEPENDENCY_CYCLE');
  });

  it('reports every finding of a Verifier, the first one as code, rule and path', async () => {
    await using host = await makeHost();
    const spec = {
      requirements: [1, 2].map((n) => ({
        id: `r${n}`,
        statement: 's',
        check: { kind: 'assert', path: 'inputs.none', operator: 'is_null' },
      })),
    };
    const answered = await host.declare([card('Verifier', 'tone', spec)]);
    expect(answered.status).toBe(400);
    expect(answered.json.details).toMatchObject({ rule: 'unknown_reference', path: 'requirements[0].check' });
    expect(answered.json.details.findings).toHaveLength(2);
  });

  it('leaves references alone that are an author’s data', async () => {
    await using host = await makeHost();
    const spec = {
      ...toneSpec,
      requirements: [
        {
          id: 'a',
          statement: 's',
          check: {
            kind: 'assert',
            path: 'inputs.answer',
            operator: 'equals',
            expected: { kind: 'Agent', name: 'bob-the-agent' },
          },
        },
      ],
    };
    expect((await host.declare([card('Verifier', 'tone', spec)])).status).toBe(201);
  });

  it('gives concurrent declarations of one version one uid', async () => {
    await using host = await makeHost();
    const answers = await Promise.all(Array.from({ length: 8 }, () => host.declare(desk())));
    expect(new Set(answers.map((answered) => uidsOf(answered).desk)).size).toBe(1);
    expect(answers.filter((answered) => outcomes(answered)[0] === 'declared')).toHaveLength(1);
    const numbered = await Promise.all(
      Array.from({ length: 4 }, (_unused, index) => host.declare([card('Policy', 'rule', { index }, {})])),
    );
    expect(new Set(numbered.map((answered) => answered.json.root.version)).size).toBe(4);
  });
});

describe('reading Cards', () => {
  it('derives relationships and shows spaces by the dialect of the route', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(desk()));
    const flat = (await host.call('GET', '/v1/cards/by-ref?kind=Service&name=desk&version=1.0.0')).json.card;
    expect(flat.metadata.space).toBeUndefined();
    expect(flat.relationships).toEqual({
      outbound: [`Agent/desk-agent@1.0.0#${uids['desk-agent']}`, `Verifier/tone@1.0.0#${uids.tone}`],
      outbound_refs: [
        { ref: { kind: 'Agent', name: 'desk-agent', version: '1.0.0', uid: uids['desk-agent'] }, alias: 'agent' },
        { ref: { kind: 'Verifier', name: 'tone', version: '1.0.0', uid: uids.tone } },
      ],
    });
    const spaced = (await host.call('GET', '/v1/cards/Service/default/desk/latest')).json.card;
    expect(spaced.metadata).toMatchObject({ space: 'default', version: '1.0.0', uid: uids.desk });
    expect(spaced.spec.components[0].ref.space).toBe('default');
    expect(spaced.relationships.outbound[0]).toBe(`default/Agent/desk-agent@1.0.0#${uids['desk-agent']}`);
    const verifier = (await host.call('GET', `/v1/cards/by-uid/Verifier/${uids.tone}`)).json;
    expect(verifier.card.relationships).toEqual({});
    expect(verifier.card.spec).toEqual(toneSpec);
  });

  it('reads the newest version, a line, and an exact one', async () => {
    await using host = await makeHost();
    for (const version of ['1.0.0', '1.2.0', '2.0.0', '1.10.0', '3.0.0-rc.1']) {
      await host.declare([card('Policy', 'rule', { version }, { version })]);
    }
    const read = async (path: string) => (await host.call('GET', path)).json.card?.metadata.version;
    expect(await read('/v1/cards/Policy/rule/latest')).toBe('2.0.0');
    expect(await read('/v1/cards/by-ref?kind=Policy&name=rule')).toBe('2.0.0');
    expect(await read('/v1/cards/by-ref?kind=Policy&name=rule&version=1')).toBe('1.10.0');
    expect(await read('/v1/cards/by-ref?kind=Policy&name=rule&version=1.2')).toBe('1.2.0');
    expect(await read('/v1/cards/by-ref?kind=Policy&name=rule&version=3.0.0-rc.1')).toBe('3.0.0-rc.1');
    expect(await read('/v1/cards/by-ref?kind=Policy&name=rule&version=4')).toBeUndefined();
    const ranged = await host.call('GET', '/v1/cards?kind=Policy&version_range=%3E%3D1.2,%3C2');
    expect(ranged.json.items.map((item: { version: string }) => item.version)).toEqual(['1.10.0', '1.2.0']);
  });

  it('pages with a cursor that belongs to its filters', async () => {
    await using host = await makeHost();
    await host.declare(desk());
    const first = await host.call('GET', '/v1/cards?limit=3');
    expect(first.json.items).toHaveLength(3);
    const cursor = encodeURIComponent(first.json.next_cursor);
    const second = await host.call('GET', `/v1/cards?limit=2&cursor=${cursor}`);
    expect(second.json).toMatchObject({ next_cursor: null });
    expect(second.json.items).toHaveLength(1);
    expect((await host.call('GET', `/v1/cards?kind=Agent&cursor=${cursor}`)).json.code).toBe(
      'WYRD_REGISTRY_400_CURSOR_MISMATCH',
    );
    expect((await host.call('GET', '/v1/cards?cursor=bm9uc2Vuc2U')).json.code).toBe(
      'WYRD_REGISTRY_400_CURSOR_MISMATCH',
    );
    for (const limit of ['0', '201', '-1', 'x', '1e2']) {
      expect((await host.call('GET', `/v1/cards?limit=${limit}`)).json.code).toBe(
        'WYRD_REGISTRY_400_LIST_LIMIT_OUT_OF_RANGE',
      );
    }
    expect((await host.call('GET', '/v1/cards?colour=red')).json.code).toBe('WYRD_SPEC_400_VALIDATION');
    expect((await host.call('GET', '/v1/cards?kind=Agent&kind=Prompt')).status).toBe(400);
  });

  it('deletes once and reads as unknown from then on', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(desk()));
    const remove = () => host.call('DELETE', `/v1/cards/by-uid/Verifier/${uids.tone}`);
    expect((await remove()).json).toEqual({ card_uid: uids.tone, deleted: true });
    expect((await remove()).json).toEqual({ card_uid: uids.tone, deleted: false });
    expect((await host.call('GET', `/v1/cards/by-uid/Verifier/${uids.tone}`)).status).toBe(404);
    expect((await host.call('DELETE', '/v1/cards/by-ref?kind=Service&name=desk&version=1.0.0')).json.deleted).toBe(
      true,
    );
  });
});
