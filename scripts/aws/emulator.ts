import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Exact versions: launch.py changes private parts of this one. */
const packages = ['ministack==1.5.33', 'cryptography==50.0.2'];
const root = join(import.meta.dirname, '..', '..');
const folder = join(root, '.aws-emulator');
const startMs = 20_000;

export interface Emulator {
  /** Origin, on 127.0.0.1. */
  readonly endpoint: string;
  readonly pid: number;
  /** Forgets everything that was made in it. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the local AWS that the tests use, on a free port; its Python environment is made the first time. */
export async function startEmulator(): Promise<Emulator> {
  const python = await pythonOfEmulator();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const emulator = spawn(python, [join(import.meta.dirname, 'launch.py')], {
    cwd: folder,
    env: {
      // The functions of a deployment run on the Node that runs this.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: folder,
      NODE_PATH: join(root, 'node_modules'),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      LAMBDA_ACCOUNT_CONCURRENCY: '10',
      LOG_LEVEL: 'WARNING',
    },
    stdio: ['ignore', 'ignore', process.env.TOUCHSTONE_EMULATOR_LOG ? 'inherit' : 'ignore'],
  });
  await untilHealthy(emulator, endpoint);
  return {
    endpoint,
    pid: emulator.pid ?? 0,
    async reset() {
      const answer = await fetch(`${endpoint}/_ministack/reset`, { method: 'POST' });
      if (!answer.ok) throw new Error(`the emulator was not reset: ${answer.status}`);
    },
    async stop() {
      if (emulator.exitCode !== null) return;
      const ended = once(emulator, 'exit');
      emulator.kill('SIGTERM');
      const late = setTimeout(() => emulator.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(late);
    },
  };
}

async function pythonOfEmulator(): Promise<string> {
  const python = join(folder, 'venv', 'bin', 'python');
  const run = promisify(execFile);
  try {
    await access(join(folder, 'venv', 'bin', 'ministack'));
  } catch {
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  }
  return python;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function untilHealthy(emulator: ChildProcess, endpoint: string): Promise<void> {
  const end = Date.now() + startMs;
  while (Date.now() < end) {
    if (emulator.exitCode !== null) throw new Error(`the emulator ended with ${emulator.exitCode}`);
    const healthy = await fetch(`${endpoint}/_ministack/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (healthy) return;
    await sleep(100);
  }
  emulator.kill('SIGKILL');
  throw new Error('the emulator did not start');
}
