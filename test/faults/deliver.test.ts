import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callerOf, type TestHost, uniqueKey } from '#test/support/embedded-host.ts';
import { declareOperatorsDesk, submitAnswer } from '#test/support/operators-desk.ts';
import { startScriptedHost } from '#test/support/scripted-host.ts';
import { startScriptedProvider } from '#test/support/scripted-provider.ts';
import { startFaultHost } from '#test/support/start-fault-host.ts';

/** docs/spec/background.md §11 rows 8 and 9: killed while the provider has the call in hand. */
describe('a kill during a delivery', () => {
  it('delivers again with the same key, and counts both attempts', async () => {
    const data = await mkdtemp(join(tmpdir(), 'touchstone-deliver-'));
    try {
      await using provider = await startScriptedProvider([{ hang: true }, { status: 200 }]);
      const { id } = await killed(data, provider);
      await using host = await startScriptedHost({ data, later: 61_000, allowLoopback: true });
      const state = async () => (await host.call('GET', `/v1/verification/executions/${id}`)).json;
      const status = async () => (await state()).dispatches[0].status;
      for (let look = 0; look < 200 && (await status()) !== 'delivered'; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 4));
        await host.clock.advance(1_000);
      }
      const [dispatch] = (await state()).dispatches;
      expect(dispatch).toMatchObject({ status: 'delivered', error: null });
      const keys = provider.calls.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([dispatch.dispatch_id, dispatch.dispatch_id]);
      expect((await host.store.dispatches.ofExecution('local', id))[0]?.attempts).toBe(2);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

async function killed(
  data: string,
  provider: Awaited<ReturnType<typeof startScriptedProvider>>,
): Promise<{ readonly id: string }> {
  await using child = await startFaultHost(data, 'never');
  const call = callerOf(child.url);
  const declare: TestHost['declare'] = (submissions) =>
    call('POST', '/v1/cards', { body: { submissions }, headers: { 'idempotency-key': uniqueKey() } });
  const spec = { kind: 'http', method: 'post', url: `${provider.url}/`, body: {} };
  const { target } = await declareOperatorsDesk({ declare }, [spec]);
  const id = await submitAnswer({ call }, target, 'a sure thing');
  await provider.hung();
  return { id };
}
