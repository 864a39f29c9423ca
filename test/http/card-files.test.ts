import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { card, makeHost, sibling, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';

const outcomes = (answered: { readonly json: { readonly outcomes: { readonly outcome: string }[] } }) =>
  answered.json.outcomes.map(({ outcome }) => outcome);

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
