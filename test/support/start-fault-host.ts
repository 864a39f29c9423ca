import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

export interface FaultHost extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>;
  /** Write points passed so far. */
  points(): Promise<number>;
  kill(): void;
}

/** A host in a process of its own that kills itself at a point of test/support/fault-host.ts. */
export async function startFaultHost(
  data: string,
  at: number | 'judge' | 'settle' | 'never',
  workers = 16,
): Promise<FaultHost> {
  const script = resolve(import.meta.dirname, 'fault-host.ts');
  const child: ChildProcess = spawn(process.execPath, [script, data, String(at), String(workers)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return {
    url: line.toString('utf8').trim(),
    ended,
    async points() {
      const answer = once(child, 'message');
      child.send('points');
      return Number((await answer)[0]);
    },
    kill: () => void child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
