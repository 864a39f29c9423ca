import { createHash } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { declarationSchema } from '#contract/requests/cards.ts';
import {
  card,
  desk,
  makeHost,
  sibling,
  type TestHost,
  toneSpec,
  uidsOf,
  uniqueKey,
} from '#test/support/embedded-host.ts';

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

describe('bindings of a declaration', () => {
  const verifiers = ['tone', 'promise'].map((name) => card('Verifier', name, toneSpec));
  const bound = (...entries: JsonObject[]) => card('Service', 'desk', { verified_by: entries });
  const to = (name: string, more: JsonObject = {}): JsonObject => ({ verifier: sibling('Verifier', name), ...more });

  it.each<[string, JsonObject[], string, string]>([
    [
      'another kind',
      [card('Policy', 'rule', {}), bound({ verifier: sibling('Policy', 'rule') })],
      'WYRD_SPEC_400_INVALID_VERIFIER_REF_KIND',
      'verified_by[0].verifier',
    ],
    [
      'one Verifier twice',
      [verifiers[0]!, bound(to('tone'), to('tone'))],
      'WYRD_SPEC_400_DUPLICATE_VERIFICATION_BINDING',
      'verified_by[1]',
    ],
    [
      'a schedule on request evidence',
      [verifiers[0]!, bound(to('tone', { runs_on: { kind: 'schedule', cron: '0 * * * *' } }))],
      'WYRD_SPEC_400_TRIGGER_ACTIVATION_MISMATCH',
      'verified_by[0].runs_on',
    ],
    [
      'an unknown key',
      [verifiers[0]!, bound(to('tone', { inputs: {} }))],
      'WYRD_REGISTRY_400_INVALID_CARD_SPEC',
      'verified_by[0].inputs',
    ],
    [
      'an Operator without its connection',
      [
        verifiers[0]!,
        bound(
          to('tone', {
            on_failure: [
              {
                kind: 'notify',
                channel: { kind: 'slack', connection: 'desk-slack', channel_id: 'C1', text: 'failed' },
              },
            ],
          }),
        ),
      ],
      'WYRD_SPEC_400_OPERATOR_CONNECTION_UNAVAILABLE',
      'verified_by[0].on_failure[0]',
    ],
  ])('refuses %s and stores nothing', async (_name, submissions, code, field) => {
    await using host = await makeHost();
    const answered = await host.declare(submissions);
    expect(answered.json).toMatchObject({ code, details: { field } });
    expect((await host.call('GET', '/v1/cards')).json.items).toEqual([]);
  });

  it('refuses a Verifier that nothing binds, before it asks for one root', async () => {
    await using host = await makeHost();
    const answered = await host.declare([...verifiers, bound(to('tone'))]);
    expect(answered.json.code).toBe('WYRD_SPEC_400_UNBOUND_VERIFIER_PEER');
  });

  it('makes new ids for a new owner version only', async () => {
    await using host = await makeHost();
    const first = await host.declare([...verifiers, bound(to('tone'), to('promise'))]);
    const ids = await bindingIds(host, uidsOf(first).desk!);
    expect(ids).toHaveLength(2);
    const next = { ...bound(to('tone'), to('promise')), metadata: { name: 'desk', version: '1.1.0' } };
    const second = await host.declare([...verifiers, next]);
    const nextIds = await bindingIds(host, uidsOf(second).desk!);
    expect(new Set([...ids, ...nextIds]).size).toBe(4);
  });

  it('freezes a group with the exact sources it will judge', async () => {
    await using host = await makeHost();
    const conversation = card('Verifier', 'conversation', {
      inputs: { answers: 'verifiers.tone.inputs.answer' },
      order_by: 'recorded_at',
      requirements: [
        { id: 'some', statement: 's', check: { kind: 'assert', each: 'inputs.answers[*]', operator: 'is_not_null' } },
      ],
    });
    const declared = await host.declare([
      verifiers[0]!,
      conversation,
      bound(to('tone'), to('conversation', { runs_on: { kind: 'group_end', after: '30m' } })),
    ]);
    const uids = uidsOf(declared);
    const [, group] = await bindingIds(host, uids.desk!);
    expect((await host.call('GET', `/v1/verification/bindings/${group}`)).json.group_end).toEqual({
      after: '30m',
      order_by: 'recorded_at',
      sources: {
        answers: {
          reference: 'verifiers.tone.inputs.answer',
          subject_occurrence_key: '$owner',
          card_uid: uids.desk,
          verifier_card_uid: uids.tone,
        },
      },
    });
  });
});

describe('idempotency keys of a declaration', () => {
  it('answers the same Cards again as idempotent_noop, and refuses another body', async () => {
    await using host = await makeHost();
    const headers = { 'idempotency-key': uniqueKey() };
    const first = await host.declare(desk(), { headers });
    const again = await host.declare(desk(), { headers });
    expect(again.status).toBe(200);
    expect(outcomes(again)).toEqual(Array(4).fill('idempotent_noop'));
    expect(uidsOf(again)).toEqual(uidsOf(first));
    const other = await host.declare([card('Policy', 'rule', {})], { headers });
    expect([other.status, other.json.code]).toEqual([409, 'WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT']);
  });

  it('leaves the key free after a refusal, and runs concurrent calls under one key once', async () => {
    await using host = await makeHost();
    const headers = { 'idempotency-key': uniqueKey() };
    expect((await host.declare([card('Gadget', 'rule', {})], { headers })).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 6 }, () => host.declare(desk(), { headers })));
    expect(answers.filter((answered) => answered.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answered) => uidsOf(answered).desk)).size).toBe(1);
  });

  it.each([
    ['', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_REQUIRED'],
    ['short', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
    ['with white space', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
    ['k'.repeat(257), 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
  ])('refuses the key %j', async (key, code) => {
    await using host = await makeHost();
    const answered = await host.declare(desk(), { headers: { 'idempotency-key': key } });
    expect([answered.status, answered.json.code]).toEqual([400, code]);
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

describe('Cards with files', () => {
  const bytes = new TextEncoder().encode('# manual\n');
  const entry = {
    relative_path: 'docs/manual.md',
    sha256: createHash('sha256').update(bytes).digest('base64'),
    size_bytes: bytes.length,
    content_type: 'text/markdown',
  };
  const manual = { ...card('Artifact', 'manual', {}), artifacts: [entry] };

  it('become active when their files have arrived, and give them back', async () => {
    await using host = await makeHost();
    const headers = { 'idempotency-key': uniqueKey() };
    const declared = await host.declare([manual], { headers });
    expect(declared.json.outcomes[0]).toMatchObject({ status: 'pending', outcome: 'declared' });
    const uid = uidsOf(declared).manual!;
    const [upload] = declared.json.upload_plans[0].entries;
    const complete = () => host.call('POST', `/v1/cards/${uid}/complete`, { headers, body: null });
    expect((await complete()).json.code).toBe('WYRD_REGISTRY_400_UPLOAD_INTERRUPTED');
    expect((await host.call('PUT', upload.plan.data.put_url, { raw: bytes })).json).toEqual({ uploaded: true });
    const settle = () =>
      host.call('POST', `/v1/cards/upload/${upload.upload_id}/complete`, {
        headers,
        body: { protocol: 'single_put', data: {} },
      });
    const settled = await settle();
    expect(settled.json.stored).toMatchObject({
      size_bytes: bytes.length,
      sha256: entry.sha256,
      content_type: 'text/markdown',
    });
    expect((await settle()).text).toBe(settled.text);
    const completed = await complete();
    expect(completed.json.outcomes).toMatchObject([{ status: 'active', card_ref: { uid } }]);
    expect((await complete()).text).toBe(completed.text);
    expect((await host.call('GET', `/v1/cards/${uid}/artifacts`)).json).toEqual({ artifacts: [entry] });
    const plan = await host.call('POST', '/v1/cards/download/init', {
      body: { card_uid: uid, relative_path: 'docs/manual.md' },
    });
    expect(plan.json).toMatchObject({ size_bytes: bytes.length, sha256: entry.sha256 });
    expect((await host.call('GET', plan.json.plan.get_url)).text).toBe('# manual\n');
    expect(outcomes(await host.declare([manual]))).toEqual(['deduplicated']);
  });

  it('are asked for again by a declaration that was interrupted', async () => {
    await using host = await makeHost();
    const first = await host.declare([manual]);
    const again = await host.declare([manual]);
    expect(uidsOf(again)).toEqual(uidsOf(first));
    expect(again.json.upload_plans[0].entries).toHaveLength(1);
    expect(again.json.outcomes[0].status).toBe('pending');
  });

  it('fail with bytes that are not the declared ones', async () => {
    await using host = await makeHost();
    const declared = await host.declare([manual]);
    const [upload] = declared.json.upload_plans[0].entries;
    const wrong = await host.call('PUT', upload.plan.data.put_url, { raw: '# manuel\n' });
    expect(wrong.json).toMatchObject({
      code: 'WYRD_STORAGE_400_SHA256_MISMATCH',
      details: { variant: 'sha256_mismatch' },
    });
    const late = await host.call('PUT', upload.plan.data.put_url, { raw: bytes });
    expect(late.json.code).toBe('WYRD_STORAGE_409_UPLOAD_NOT_PENDING');
  });

  it('bring files of one Card a declaration', async () => {
    await using host = await makeHost();
    const service = {
      ...card('Service', 'desk', { components: [{ alias: 'a', ref: sibling('Artifact', 'manual') }] }),
      artifacts: [entry],
    };
    expect((await host.declare([manual, service])).json.code).toBe(
      'WYRD_REGISTRY_400_HEAVY_ARTIFACT_NOT_SOLE_SUBMISSION',
    );
    expect((await host.call('GET', `/v1/cards/${v7()}/artifacts`)).status).toBe(404);
  });
});
