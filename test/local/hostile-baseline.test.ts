import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { declareFile } from '#test/support/declare-file.ts';
import { psiCheck, windowSpec } from '#test/support/declare-window.ts';
import { parquetOf } from '#test/support/drift-case.ts';
import { card, makeHost, sibling, type TestHost, uidsOf } from '#test/support/embedded-host.ts';

/** Six bytes that are a run of two thousand million values: the engine that decodes them gives up. */
function endless(): Uint8Array {
  const bytes = readFileSync(new URL('../fixtures/parquet/pyarrow-pairs.parquet', import.meta.url));
  const at = bytes.indexOf(Buffer.from('014daaaaaaaaaaaa', 'hex'));
  if (at < 0) throw new Error('nothing to replace');
  bytes.write('01feffffff0f0101', at, 'hex');
  return bytes;
}

/** Binds a Verifier whose baseline is this Data Card; answers the binding's path. */
async function bind(host: TestHost, data: string): Promise<string> {
  const name = (part: string) => `${data}-${part}`;
  const bound = { verifier: sibling('Verifier', name('steady')), runs_on: { kind: 'schedule', cron: '0 0 1 1 *' } };
  const prompt = { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'hello' }] };
  const declared = await host.declare([
    card('Prompt', name('prompt'), prompt),
    card('Agent', name('agent'), { prompt: sibling('Prompt', name('prompt')), execution_route: { kind: 'native' } }),
    card('Verifier', name('steady'), windowSpec({ steady: psiCheck(data, 'x') })),
    card('Service', name('desk'), {
      components: [{ alias: 'agent', ref: sibling('Agent', name('agent')), verified_by: [bound] }],
    }),
  ]);
  expect(declared.status, declared.text).toBe(201);
  const owner = uidsOf(declared)[name('desk')];
  const { items } = (await host.call('GET', `/v1/verification/bindings?owner=${owner}`)).json;
  const path = `/v1/verification/bindings/${items[0].binding_id}`;
  await host.call('POST', `${path}/activate`);
  return path;
}

it('a host outlives a baseline that no process can read, and fits the next one', { timeout: 120_000 }, async () => {
  const warn = vi.fn();
  await using host = await makeHost({}, { log: { info() {}, warn, error() {} } });
  await declareFile(host, 'endless', endless());
  await declareFile(host, 'rows', parquetOf({ x: { $range: [0, 100, 1] } }).bytes);
  const paths = [await bind(host, 'endless'), await bind(host, 'rows')];
  const readiness = async () => Promise.all(paths.map(async (path) => (await host.call('GET', path)).json?.readiness));
  await vi.waitFor(async () => expect((await readiness())[1]).toBe('ready'), { timeout: 60_000, interval: 250 });
  await vi.waitFor(() => expect(warn).toHaveBeenCalled(), { timeout: 60_000, interval: 250 });
  expect(warn.mock.calls).toEqual([
    ['baseline not fitted', expect.objectContaining({ reason: 'the Parquet file cannot be read' })],
  ]);
  expect((await readiness())[0]).not.toBe('ready');
});
