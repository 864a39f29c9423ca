import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openStore } from '#local/open-store.ts';
import { callerOf, desk, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';
import { startFaultHost } from '#test/support/start-fault-host.ts';

/** docs/spec/wire.md §9.5: a batch is durable before its answer, and counts once however often and however many send it. */
describe('a kill while samples come in', () => {
  it('loses no batch that was acknowledged, has none in part, and a repeat counts once', {
    timeout: 60_000,
  }, async () => {
    const data = await mkdtemp(join(tmpdir(), 'touchstone-samples-'));
    try {
      const batches = Array.from({ length: 60 }, () => v7());
      const acknowledged = new Map<string, string>();
      const send = async (url: string, batch_id: string, subject: string): Promise<void> => {
        const created_at = '2026-05-04T08:00:00Z';
        const records = Array.from({ length: 50 }, (_none, index) => ({
          record_id: `${batch_id}-${index}`,
          subject_card_uid: subject,
          created_at,
          features: { latency: index },
        }));
        const answer = await callerOf(url)('POST', '/v1/observations', { body: { batch_id, records } });
        expect(answer.status, answer.text).toBe(202);
        const known = acknowledged.get(batch_id);
        if (known !== undefined) expect(answer.json.ingested_at).toBe(known);
        acknowledged.set(batch_id, answer.json.ingested_at);
        if (acknowledged.size === 20) killNow();
      };
      let killNow = () => {};
      let subject = '';
      {
        await using child = await startFaultHost(data, 'never');
        const declared = await callerOf(child.url)('POST', '/v1/cards', {
          body: { submissions: desk() },
          headers: { 'idempotency-key': uniqueKey() },
        });
        subject = uidsOf(declared)['desk-agent'] ?? '';
        killNow = () => child.kill();
        // Each by two clients at once.
        await Promise.all(
          [...batches, ...batches].map((batch) =>
            send(child.url, batch, subject).catch((error: unknown) => {
              if (!(error instanceof TypeError)) throw error;
            }),
          ),
        );
        await child.ended;
      }
      killNow = () => {};
      const before = new Set(acknowledged.keys());
      expect(before.size).toBeGreaterThanOrEqual(20);
      const held = await batchesIn(data);
      for (const batch of before) expect(held.get(batch)).toBe(50);
      for (const rows of held.values()) expect(rows).toBe(50);
      await using again = await startFaultHost(data, 'never');
      await Promise.all(batches.map((batch) => send(again.url, batch, subject)));
      await again[Symbol.asyncDispose]();
      expect([...(await batchesIn(data)).entries()].sort()).toEqual(batches.map((batch) => [batch, 50]).sort());
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

/** Rows of each batch that the folder holds. */
async function batchesIn(data: string): Promise<ReadonlyMap<string, number>> {
  const store = await openStore(data);
  try {
    const rows = await store.observations.newest('local', 100_000);
    const counts = new Map<string, number>();
    for (const { record_id } of rows) {
      const batch = record_id.slice(0, 36);
      counts.set(batch, (counts.get(batch) ?? 0) + 1);
    }
    return counts;
  } finally {
    await store.close();
  }
}
