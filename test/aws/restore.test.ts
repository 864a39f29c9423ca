import { expect, it } from 'vitest';
import { copyStore } from '#test/support/copy-store.ts';
import { declareDesk, submitOnce } from '#test/support/crash-scenes/submission.ts';
import { comeToRest } from '#test/support/crash-table.ts';
import { crashWorld, minute } from '#test/support/crash-world.ts';
import { uniqueKey } from '#test/support/embedded-host.ts';
import { settleWithDispatches } from '#test/support/settle-with-dispatches.ts';

/** docs/spec/background.md §11 row 15, with machines and a provider that know what happened after the backup. */
it('a store restored from a backup brings its keys and due rows back; a delivered dispatch may repeat, with the same key', {
  timeout: 120_000,
}, async () => {
  const tenant = 'acme';
  await using world = await crashWorld();
  const { ports } = world.process();
  const target = await declareDesk(world, tenant);
  const [key, later] = [uniqueKey(), uniqueKey()];
  const pending = await submitOnce(world.process(), tenant, target, key);
  const hook = { kind: 'http', method: 'post', url: `${world.provider.url}/`, body: {} };
  const [dispatch] = await settleWithDispatches(ports, tenant, world.now, [hook]);
  if (dispatch === undefined) throw new Error('nothing to deliver');
  const backup = await copyStore(world.shared);

  // All of it is done, and more is accepted, before the tables are lost.
  await comeToRest(world, tenant);
  const first = await ports.executions.find(tenant, pending);
  expect(first).toMatchObject({ status: 'completed', attempts: 1 });
  const lost = await submitOnce(world.process(), tenant, target, later);
  await comeToRest(world, tenant);
  const keys = () => world.provider.calls.map(({ headers }) => headers['idempotency-key']);
  expect(keys().filter((sent) => sent === dispatch.dispatch_id)).toHaveLength(1);

  await using restored = await crashWorld(backup, world.now);
  const { ports: now } = restored.process();
  expect(await submitOnce(restored.process(), tenant, target, key)).toBe(pending);
  expect(await now.executions.find(tenant, lost)).toBeNull();
  expect(await now.executions.find(tenant, pending)).toMatchObject({ status: 'pending', attempts: 0 });
  const begun = restored.now;
  await comeToRest(restored, tenant);
  expect(restored.now - begun).toBeLessThanOrEqual(2 * minute);
  // Its first machine ended before the tables were lost: another one took its place.
  expect(await now.executions.find(tenant, pending)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(keys().filter((sent) => sent === dispatch.dispatch_id)).toHaveLength(2);
  const [delivered] = await now.dispatches.ofExecution(tenant, dispatch.execution_id);
  expect(delivered).toMatchObject({ status: 'delivered', attempts: 1 });

  // The call whose answer is lost is made anew.
  const again = await submitOnce(restored.process(), tenant, target, later);
  expect(again).not.toBe(lost);
  await comeToRest(restored, tenant);
  expect(await now.executions.find(tenant, again)).toMatchObject({ status: 'completed', attempts: 1 });
});
