import { describe, expect, it } from 'vitest';
import type { Idempotency } from '#service/ports/idempotency.ts';
import type { Registry } from '#service/ports/registry.ts';
import { declarationOf, storedBinding, storedCard } from '#test/support/stored-things.ts';

const at = '2026-03-02T09:00:00.000Z';

const scope = { principal: 'p', method: 'POST', path: '/v1/cards', key: 'key-00000001' };

/** What every Registry keeps (docs/spec/wire.md §4, background.md §3). */
export function testRegistry(
  name: string,
  make: () => Promise<{ readonly registry: Registry; readonly idempotency: Idempotency }>,
): void {
  describe(`Registry: ${name}`, () => {
    it('gives back what was declared, to its tenant alone', async () => {
      const { registry } = await make();
      const tone = storedCard();
      expect(await registry.declare('acme', declarationOf([tone]))).toBe('stored');
      expect(await registry.byUid('acme', tone.uid)).toEqual(tone);
      expect(await registry.byUid('other', tone.uid)).toBeNull();
      expect(await registry.versions('acme', tone)).toEqual([tone]);
      expect(await registry.versions('other', tone)).toEqual([]);
      expect((await registry.list('other', {}, { limit: 10, after: null })).items).toEqual([]);
    });

    it('stores nothing of a declaration when one of its versions is taken', async () => {
      const { registry, idempotency } = await make();
      await registry.declare('acme', declarationOf([storedCard()]));
      const prompt = storedCard({ kind: 'Prompt', name: 'hello' });
      const key = { ...scope, key: 'key-conflict' };
      const second = declarationOf([prompt, storedCard()], {
        idempotency: { ...key, body_sha256: 'b', answer: '{}', created_at: 1 },
      });
      expect(await registry.declare('acme', second)).toBe('conflict');
      expect(await registry.byUid('acme', prompt.uid)).toBeNull();
      expect(await idempotency.find('acme', key, 0)).toBeNull();
    });

    it('lets one of many concurrent declarations of a version win', async () => {
      const { registry } = await make();
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => registry.declare('acme', declarationOf([storedCard()]))),
      );
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(await registry.versions('acme', storedCard())).toHaveLength(1);
    });

    it('keeps the names of two tenants and two spaces apart', async () => {
      const { registry } = await make();
      expect(await registry.declare('acme', declarationOf([storedCard()]))).toBe('stored');
      expect(await registry.declare('other', declarationOf([storedCard()]))).toBe('stored');
      expect(await registry.declare('acme', declarationOf([storedCard({ space: 'desk' })]))).toBe('stored');
    });

    it('refuses a declaration that relies on a Card that is gone', async () => {
      const { registry } = await make();
      const prompt = storedCard({ kind: 'Prompt', name: 'hello' });
      await registry.declare('acme', declarationOf([prompt]));
      await registry.remove('acme', prompt.uid, at);
      const late = declarationOf([storedCard()], { relies_on: [prompt.uid] });
      expect(await registry.declare('acme', late)).toBe('conflict');
      expect(await registry.versions('acme', storedCard())).toEqual([]);
    });

    it('deletes softly and only once, and frees the version', async () => {
      const { registry } = await make();
      const tone = storedCard();
      await registry.declare('acme', declarationOf([tone]));
      expect(await registry.remove('other', tone.uid, at)).toBe(false);
      expect(await registry.remove('acme', tone.uid, '2026-03-02T10:00:00.000Z')).toBe(true);
      expect(await registry.remove('acme', tone.uid, at)).toBe(false);
      expect(await registry.byUid('acme', tone.uid)).toMatchObject({
        status: 'deleted',
        updated_at: '2026-03-02T10:00:00.000Z',
      });
      expect(await registry.declare('acme', declarationOf([storedCard()]))).toBe('stored');
    });

    it('settles a pending Card once', async () => {
      const { registry } = await make();
      const files = storedCard({ kind: 'Artifact', name: 'manual', status: 'pending' });
      await registry.declare('acme', declarationOf([files]));
      expect(await registry.settlePending('acme', files.uid, 'active', at)).toBe(true);
      expect(await registry.settlePending('acme', files.uid, 'failed', at)).toBe(false);
      expect((await registry.byUid('acme', files.uid))?.status).toBe('active');
    });

    it('pages through everything once, newest first, while new Cards arrive', async () => {
      const { registry } = await make();
      const cards = Array.from({ length: 7 }, (_unused, index) => storedCard({ version: `1.0.${index}` }));
      await registry.declare('acme', declarationOf(cards));
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page = await registry.list('acme', { kind: 'Verifier' }, { limit: 3, after });
        seen.push(...page.items.map((item) => item.uid));
        after = page.next;
        await registry.declare('acme', declarationOf([storedCard({ version: `2.0.${seen.length}` })]));
      } while (after !== null);
      expect(seen).toEqual(cards.map((item) => item.uid).reverse());
    });

    it('finds bindings by id, by owner in declared order, and by pair, newest owner first', async () => {
      const { registry } = await make();
      const [tone, second] = [storedCard(), storedCard({ name: 'second' })];
      const subject = storedCard({ kind: 'Agent', name: 'desk-agent' });
      const owners = [1, 2].map((major) => storedCard({ kind: 'Service', name: 'desk', version: `${major}.0.0` }));
      const at1 = owners.map((owner) => storedBinding(owner, tone, { occurrence: 'agent', subject_uid: subject.uid }));
      const other = storedBinding(owners[0]!, second);
      await registry.declare(
        'acme',
        declarationOf([tone, second, subject, ...owners], { bindings: [at1[0]!, other, at1[1]!] }),
      );
      expect(await registry.binding('acme', other.binding_id)).toMatchObject({ ...other, activated_at: null });
      expect(await registry.binding('other', other.binding_id)).toBeNull();
      expect((await registry.bindingsOf('acme', owners[0]!.uid)).map((found) => found.binding_id)).toEqual([
        at1[0]!.binding_id,
        other.binding_id,
      ]);
      const pair = await registry.bindingsFor('acme', tone.uid, subject.uid);
      expect(pair.map((found) => found.binding_id)).toEqual([at1[1]!.binding_id, at1[0]!.binding_id]);
      await registry.remove('acme', owners[1]!.uid, at);
      const left = await registry.bindingsFor('acme', tone.uid, subject.uid);
      expect(left.map((found) => found.binding_id)).toEqual([at1[0]!.binding_id]);
    });

    it('remembers the newest exchange of an owner', async () => {
      const { registry } = await make();
      const [tone, owner] = [storedCard(), storedCard({ kind: 'Service', name: 'desk' })];
      const bound = storedBinding(owner, tone);
      await registry.declare('acme', declarationOf([tone, owner], { bindings: [bound] }));
      await registry.activate('acme', owner.uid, 5_000);
      await registry.activate('acme', owner.uid, 4_000);
      expect((await registry.binding('acme', bound.binding_id))?.activated_at).toBe(5_000);
    });

    it('stores the idempotency row with its declaration and forgets a lapsed one', async () => {
      const { registry, idempotency } = await make();
      const row = { ...scope, body_sha256: 'b', answer: '{"a":1}', created_at: 1_000 };
      await registry.declare('acme', declarationOf([storedCard()], { idempotency: row }));
      expect(await idempotency.find('acme', scope, 1_000)).toEqual(row);
      expect(await idempotency.find('acme', scope, 1_001)).toBeNull();
      expect(await idempotency.find('other', scope, 0)).toBeNull();
      expect(await idempotency.find('acme', { ...scope, path: '/v1/other' }, 0)).toBeNull();
    });

    it('refuses a declaration under the key of another body, and takes a lapsed key anew', async () => {
      const { registry, idempotency } = await make();
      const row = { ...scope, key: 'key-of-another', body_sha256: 'a', answer: '{"a":1}', created_at: 1_000 };
      await registry.declare('acme', declarationOf([storedCard()], { idempotency: row }));
      const other = { ...row, body_sha256: 'b', answer: '{"b":1}', created_at: 2_000 };
      const second = storedCard({ name: 'second' });
      expect(await registry.declare('acme', declarationOf([second], { idempotency: other }))).toBe('conflict');
      expect(await registry.byUid('acme', second.uid)).toBeNull();
      expect(await idempotency.find('acme', row, 0)).toEqual(row);
      const late = { ...other, created_at: 1_001 + 7 * 24 * 3_600_000 };
      expect(await registry.declare('acme', declarationOf([second], { idempotency: late }))).toBe('stored');
      expect(await idempotency.find('acme', row, 1_001)).toEqual(late);
    });

    it('settles no pending Card under the key of another body', async () => {
      const { registry } = await make();
      const row = { ...scope, key: 'key-of-another', body_sha256: 'a', answer: '{}', created_at: 1_000 };
      const pending = storedCard({ status: 'pending' });
      await registry.declare('acme', declarationOf([pending], { idempotency: row }));
      const other = { ...row, body_sha256: 'b' };
      expect(await registry.settlePending('acme', pending.uid, 'active', at, other)).toBe(false);
      expect((await registry.byUid('acme', pending.uid))?.status).toBe('pending');
    });
  });
}
