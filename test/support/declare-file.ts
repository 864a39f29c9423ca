import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { card, type TestHost, uidsOf, uniqueKey } from './embedded-host.ts';

/** Declares a Data Card of one Parquet file and uploads the file, as a client does. */
export async function declareFile(host: TestHost, name: string, bytes: Uint8Array): Promise<void> {
  const sha256 = createHash('sha256').update(bytes).digest('base64');
  const artifacts = [{ relative_path: 'rows.parquet', sha256, size_bytes: bytes.byteLength }];
  const headers = { 'idempotency-key': uniqueKey() };
  const answer = await host.declare([{ ...card('Data', name, { interface: { kind: 'Parquet' } }), artifacts }], {
    headers,
  });
  expect(answer.status, answer.text).toBe(201);
  const [{ plan, upload_id }] = answer.json.upload_plans[0].entries;
  await host.call('PUT', plan.data.put_url, { raw: bytes });
  const body = { protocol: 'single_put', data: {} };
  await host.call('POST', `/v1/cards/upload/${upload_id}/complete`, { headers, body });
  const completed = await host.call('POST', `/v1/cards/${uidsOf(answer)[name]}/complete`, { headers, raw: 'null' });
  expect(completed.json?.outcomes, completed.text).toMatchObject([{ status: 'active' }]);
}
