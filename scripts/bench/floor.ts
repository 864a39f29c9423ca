import { generateKeyPairSync, sign } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import autocannon from 'autocannon';

/** Median milliseconds of writing 4 KB and syncing it: what the disk itself asks for durability. */
export async function benchSync(folder: string): Promise<number> {
  const file = await open(join(folder, 'sync'), 'w');
  const bytes = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    const from = performance.now();
    await file.write(bytes, 0, bytes.length, round * bytes.length);
    await file.sync();
    times.push(performance.now() - from);
  }
  await file.close();
  return times.sort((a, b) => a - b)[150] ?? 0;
}

/** Answers a second of a bare route that signs 4 KB and commits it alone: the floor below any durable answer. */
export async function benchFloor(folder: string): Promise<number> {
  const database = new DatabaseSync(join(folder, 'floor.sqlite'));
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE answers (body BLOB)');
  const insert = database.prepare('INSERT INTO answers VALUES (?)');
  const { privateKey } = generateKeyPairSync('ed25519');
  const body = Buffer.alloc(4096, 1);
  const server = createServer((_, response) => {
    insert.run(sign(null, body, privateKey));
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const result = await autocannon({ url: `http://127.0.0.1:${port}`, connections: 16, amount: 10_000 });
  await new Promise((resolve) => server.close(resolve));
  database.close();
  return 10_000 / result.duration;
}
