import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openStore, type Store } from '#local/open-store.ts';
import type { FitEnd } from '#service/ports/baselines.ts';
import { declareFile } from '#test/support/declare-file.ts';
import { chartedCheck, windowSpec } from '#test/support/declare-window.ts';
import { parquetOf } from '#test/support/drift-case.ts';
import { card, makeHost, sibling, uidsOf } from '#test/support/embedded-host.ts';

interface Fits {
  /** How many fits are still to fail, as one of an unreadable file does. */
  failing: number;
  /** Whether what is ready was fitted under an older rule. */
  isLegacy: boolean;
  readonly ended: FitEnd['status'][];
}

/** A host whose baseline is of a real file; its first fit fails. */
async function failedOnce() {
  const fits: Fits = { failing: 1, isLegacy: false, ended: [] };
  const opened = async (data: string, secretKey?: string): Promise<Store> => {
    const store = await openStore(data, secretKey);
    const { baselines } = store;
    return {
      ...store,
      baselines: {
        ...baselines,
        async find(tenant, place) {
          const state = await baselines.find(tenant, place);
          return fits.isLegacy && state?.status === 'ready' ? { ...state, format: state.format - 1 } : state;
        },
        async end(tenant, place, lease, fitted) {
          const told: FitEnd = fits.failing > 0 ? { status: 'failed', reason: 'the file cannot be read' } : fitted;
          fits.failing -= 1;
          const written = await baselines.end(tenant, place, lease, told);
          fits.ended.push(told.status);
          return written;
        },
      },
    };
  };
  const host = await makeHost({}, { openStore: opened });
  await declareFile(host, 'baseline', parquetOf({ latency: { $cycle: { values: [1, 2, 3, 2], count: 80 } } }).bytes);
  const bound = { verifier: sibling('Verifier', 'steady'), runs_on: { kind: 'schedule', cron: '0 0 1 1 *' } };
  const declared = await host.declare([
    card('Verifier', 'steady', windowSpec({ steady: chartedCheck })),
    card('Service', 'desk', { verified_by: [bound] }),
  ]);
  const { items } = (await host.call('GET', `/v1/verification/bindings?owner=${uidsOf(declared).desk}`)).json;
  await expect.poll(() => fits.ended, { timeout: 30_000 }).toEqual(['failed']);
  const path = `/v1/verification/bindings/${items[0].binding_id}`;
  const refit = (options = {}) => host.call('POST', `${path}/refit`, options);
  const readiness = async (options = {}) => (await host.call('GET', path, options)).json.readiness;
  return { host, fits, path, refit, readiness };
}

describe('refit over HTTP', () => {
  it('has a fit that failed done again, once, and readiness follows', { timeout: 60_000 }, async () => {
    const { host, fits, refit, readiness } = await failedOnce();
    await using _host = host;
    expect(await readiness()).toBe('baseline_not_ready');
    const asked = await Promise.all(Array.from({ length: 4 }, () => refit()));
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(asked[0]?.json).toMatchObject({ readiness: 'baseline_not_ready' });
    await expect.poll(() => readiness(), { timeout: 30_000 }).toBe('ready');
    expect(fits.ended).toEqual(['failed', 'ready']);
    // What is fitted stays so.
    expect((await refit()).json).toMatchObject({ readiness: 'ready' });
    fits.isLegacy = true;
    const legacy = await refit();
    expect([legacy.status, legacy.json.code]).toEqual([409, 'WYRD_VERIFICATION_409_BASELINE_LEGACY']);
    expect(await readiness()).toBe('baseline_not_ready');
    fits.isLegacy = false;
    expect(await readiness()).toBe('ready');
  });

  it('is for those who may write Cards, in their own tenant', { timeout: 60_000 }, async () => {
    const { host, fits, path, refit, readiness } = await failedOnce();
    await using _host = host;
    const keyOf = async (key: Parameters<typeof host.key>[0]) => ({ token: await host.token(await host.key(key)) });
    for (const role of ['viewer', 'workload'] as const) expect((await refit(await keyOf({ role }))).status).toBe(403);
    const [foreign, own] = [await keyOf({ role: 'admin', tenant: 'other' }), await keyOf({ role: 'editor' })];
    const elsewhere = path.replace(/[^/]+$/, v7());
    for (const answer of [
      await refit(foreign),
      await host.call('POST', `${elsewhere}/refit`, own),
      await host.call('POST', `${path.replace(/[^/]+$/, 'none')}/refit`, own),
    ]) {
      expect([answer.status, answer.json.code]).toEqual([404, 'WYRD_VERIFICATION_404_BINDING_NOT_FOUND']);
    }
    expect((await refit({ token: null })).status).toBe(401);
    expect(fits.ended).toEqual(['failed']);
    expect(await readiness(own)).toBe('baseline_not_ready');
    expect((await refit(own)).status).toBe(200);
    await expect.poll(() => readiness(own), { timeout: 30_000 }).toBe('ready');
  });
});
