import { parse, v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startRelay } from '#local/relay.ts';
import { desk, makeHost, uidsOf } from '#test/support/embedded-host.ts';
import { arrowOf, insertMessage, insertOverGrpc, rowsOf, table } from '#test/support/grpc-client.ts';

it('a relay brings samples to a host that has no gRPC, with the token of whoever sent them', async () => {
  await using host = await makeHost();
  const uid = uidsOf(await host.declare(desk()))['desk-agent'] ?? '';
  const token = await host.token(await host.key());
  const relay = await startRelay(`${host.url}/`, 0);
  try {
    const id = parse(v7());
    const body = insertMessage(table, arrowOf(rowsOf(uid, 'one')), id);
    expect(await insertOverGrpc(relay.port, body, token)).toEqual(Buffer.from(id));
    expect(await insertOverGrpc(relay.port, body, 'another')).toMatchObject({ code: 16 });
    await host[Symbol.asyncDispose]();
    // The client sends it again later.
    expect(await insertOverGrpc(relay.port, body, token)).toMatchObject({ code: 14 });
  } finally {
    await relay.close();
  }
});
