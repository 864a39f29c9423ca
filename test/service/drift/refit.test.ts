import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { rolePermissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { baselinesOfVerifier } from '#service/drift/readiness.ts';
import type { Baselines } from '#service/ports/baselines.ts';
import { readBinding, refitBinding } from '#service/verify/read-binding.ts';
import { backgroundWorld } from '#test/support/background-world.ts';
import { chartedCheck, declareWindow } from '#test/support/declare-window.ts';
import { openEmbeddedStores } from '#test/support/open-stores.ts';
import { fitAll } from '#test/support/window-conformance.ts';

const now = Date.parse('2026-03-01T09:00:00Z');
const principalOf = (tenant: string): Principal => ({
  tenant,
  id: 'administrator',
  permissions: new Set(rolePermissions.admin),
  verifier_uids: null,
  card_uid: null,
});

/** A binding whose baseline could not be fitted. */
async function failed() {
  const opened = await openEmbeddedStores({ now: () => now, sleep: async () => {} });
  const ports = backgroundWorld(now, opened.stores, { now }).ports();
  const { owner_uid, verifier_uid } = await declareWindow(ports, { steady: chartedCheck });
  const [held] = await baselinesOfVerifier(ports, 'main', verifier_uid);
  const place = held?.place ?? expect.fail('no baseline');
  const lease = v7();
  await ports.baselines.begin('main', place, { lease, now, until: now + 1_000 });
  await ports.baselines.end('main', place, lease, { status: 'failed', reason: 'it has no rows' });
  const [binding] = await ports.registry.bindingsOf('main', owner_uid);
  return { opened, ports, place, verifier_uid, id: binding?.binding_id ?? '' };
}

describe('refit', () => {
  it('has what failed fitted again, and readiness follows', async () => {
    const { opened, ports, place, verifier_uid, id } = await failed();
    await using _opened = opened;
    const readiness = async () => (await readBinding(ports, principalOf('main'), id)).readiness;
    expect((await refitBinding(ports, principalOf('main'), id)).readiness).toBe('baseline_not_ready');
    expect(await ports.baselines.find('main', place)).toEqual({ status: 'pending' });
    const due = await ports.dueRows.due({ now, limit: 10 });
    expect(due.filter(({ kind }) => kind === 'baseline')).toHaveLength(1);
    await fitAll(ports, verifier_uid, { latency: { $cycle: { values: [1, 2, 3, 2], count: 80 } } }, now);
    expect(await readiness()).toBe('ready');
    // What is fitted stays so.
    expect((await refitBinding(ports, principalOf('main'), id)).readiness).toBe('ready');
  });

  it('is not for another tenant, nor for a binding that is none', async () => {
    const { opened, ports, place, id } = await failed();
    await using _opened = opened;
    for (const [tenant, binding] of [
      ['other', id],
      ['main', v7()],
      ['main', '../x'],
    ] as const) {
      await expect(refitBinding(ports, principalOf(tenant), binding)).rejects.toMatchObject({
        code: 'WYRD_VERIFICATION_404_BINDING_NOT_FOUND',
      });
    }
    expect(await ports.baselines.find('main', place)).toMatchObject({ status: 'failed' });
  });

  it('of a baseline of an older rule is refused: the Verifier needs a new version', async () => {
    const { opened, ports, verifier_uid, id } = await failed();
    await using _opened = opened;
    await ports.baselines.retry('main', { verifier_uid, requirement: 'steady' }, now);
    await fitAll(ports, verifier_uid, { latency: { $cycle: { values: [1, 2, 3, 2], count: 80 } } }, now);
    const older: Baselines = {
      ...ports.baselines,
      async find(...of) {
        const state = await ports.baselines.find(...of);
        return state?.status === 'ready' ? { ...state, format: state.format - 1 } : state;
      },
    };
    const { readiness } = await readBinding({ ...ports, baselines: older }, principalOf('main'), id);
    expect(readiness).toBe('baseline_not_ready');
    await expect(refitBinding({ ...ports, baselines: older }, principalOf('main'), id)).rejects.toMatchObject({
      code: 'WYRD_VERIFICATION_409_BASELINE_LEGACY',
    });
  });
});
