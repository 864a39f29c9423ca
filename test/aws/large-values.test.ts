import { describe, expect, it } from 'vitest';
import { settledExecution } from '#test/ports/executions.ts';
import { freshAwsStore } from '#test/support/aws-store.ts';
import { declarationOf, keyRow, pendingExecution, storedBinding, storedCard } from '#test/support/stored-things.ts';

/** DynamoDB refuses an item over 400 KB; every request here is also checked for it. */
const large = (bytes: number, text = 'x') => text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
const sizes = [299_000, 300_001, 399_000, 400_000, 1_000_000];

describe('values around and above the size of an item', () => {
  it.each(sizes)('a result of %i bytes', async (bytes) => {
    const { ports } = await freshAwsStore();
    const execution = settledExecution({ result: JSON.stringify(large(bytes, 'é')) });
    await ports.executions.storeSettled('acme', execution);
    expect(await ports.executions.find('acme', execution.execution_id)).toEqual(execution);
  });

  it('inputs and a result that are each half an item', async () => {
    const { ports } = await freshAwsStore();
    const request = { ...settledExecution().request, inputs: { a: { kind: 'json' as const, value: large(250_000) } } };
    const execution = pendingExecution({ request });
    await ports.attempts.admit('acme', execution, keyRow({ answer: large(350_000) }));
    await ports.attempts.claim('acme', execution.execution_id, { lease: 'l', now: 0, lease_until: 9 });
    const settled = { status: 'completed', verdict: 'passed', error: null, ended_at: 'later', record: null } as const;
    const result = JSON.stringify(large(250_000));
    expect(await ports.attempts.settle('acme', execution.execution_id, 'l', { ...settled, result })).toBe(true);
    expect(await ports.executions.find('acme', execution.execution_id)).toMatchObject({ request, result });
  });

  it.each(sizes)('a Card and a binding of %i bytes', async (bytes) => {
    const { ports } = await freshAwsStore();
    const card = storedCard({ spec: { text: large(bytes) } });
    const binding = storedBinding(card, card, { frozen: { text: large(bytes) } });
    expect(await ports.registry.declare('acme', declarationOf([card], { bindings: [binding] }))).toBe('stored');
    expect(await ports.registry.byUid('acme', card.uid)).toEqual(card);
    expect(await ports.registry.binding('acme', binding.binding_id)).toMatchObject(binding);
  });

  it('an answer under a key', async () => {
    const { ports } = await freshAwsStore();
    const row = keyRow({ answer: large(900_000) });
    await ports.registry.declare('acme', declarationOf([storedCard()], { idempotency: row }));
    expect(await ports.idempotency.find('acme', row, 0)).toEqual(row);
  });

  it('keys and names of callers, however long or strange', async () => {
    const { ports } = await freshAwsStore();
    const strange = [large(255, 'g'), '#', 'a#list##3', '../..', '\u0000', large(1_000, '😀')];
    for (const text of strange) {
      const execution = settledExecution({ group_id: text, run_id: text });
      await ports.executions.storeSettled('acme', execution);
      for (const filter of [{ group_id: text }, { run_id: text }]) {
        const { items } = await ports.executions.list('acme', filter, { limit: 5, after: null });
        expect(items.map((item) => item.execution_id)).toEqual([execution.execution_id]);
      }
      expect(await ports.registry.byUid('acme', text)).toBeNull();
      expect(await ports.executions.find('acme', text)).toBeNull();
      expect(await ports.keys.find(text)).toBeNull();
      expect(await ports.uploads.find('acme', text)).toBeNull();
    }
  });
});
