import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { startLockedProcess } from '#adapters/sandbox/locked-process.ts';
import { findNodeBinary } from '#adapters/sandbox/node-binary.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'touchstone-locked-')));
const worker = join(folder, 'worker');
const canary = join(folder, 'canary');

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The second wall, alone: JavaScript of an attacker in the process, with no boundary before it. */
const attacker = (port: number) => `
import fs from 'node:fs';
const tries = {
  read: () => fs.readFileSync(${JSON.stringify(canary)}),
  write: () => fs.writeFileSync(${JSON.stringify(join(worker, 'new'))}, 'x'),
  spawn: async () => (await import('node:child_process')).spawnSync('/bin/true'),
  worker: async () => new (await import('node:worker_threads')).Worker('1', { eval: true }),
  inspector: async () => (await import('node:inspector')).open(0),
  addon: () => process.dlopen({ exports: {} }, ${JSON.stringify(canary)}),
  code: () => (0, eval)('1'),
  builder: () => Function('return 1')(),
  connect: async () => {
    const net = await import('node:net');
    await new Promise((done, fail) => net.connect(${port}, '127.0.0.1').on('connect', done).on('error', fail));
  },
  fetch: () => fetch('http://127.0.0.1:${port}/'),
  listen: async () => {
    const net = await import('node:net');
    await new Promise((done, fail) => net.createServer().on('error', fail).listen(0, done));
  },
  lookup: async () => (await import('node:dns/promises')).lookup('localhost'),
};
const done = {};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    done[name] = 'done';
  } catch (error) {
    done[name] = 'denied';
  }
}
done.environment = Object.keys(process.env).filter((name) => name !== 'TZ' && !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name));
fs.writeSync(1, JSON.stringify(done));
process.exit(0);
`;

it('denies all but the reading of its own files, without the help of the boundary', async () => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await mkdir(worker);
  await writeFile(canary, 'secret');
  await writeFile(join(worker, 'main.mjs'), attacker(port));
  const node = findNodeBinary() ?? '';
  const child = startLockedProcess('serve', { node, worker, entry: join(worker, 'main.mjs'), snapshot: null });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  server.close();
  expect(errors).toBe('');
  const { environment, ...done } = JSON.parse(output);
  expect(new Set(Object.values(done))).toEqual(new Set(['denied']));
  expect(Object.keys(done)).toHaveLength(12);
  expect(environment).toEqual([]);
  expect(connections).toBe(0);
});
