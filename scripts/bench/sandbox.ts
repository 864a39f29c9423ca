import { createSandbox } from '#adapters/sandbox/sandbox.ts';
import type { Sandbox } from '#service/ports.ts';

export interface SandboxFigures {
  /** Milliseconds of the first call ever, which also makes the snapshot. */
  readonly firstEver: number;
  /** Milliseconds of the first call of a host whose snapshot is there. */
  readonly first: number;
  /** Median milliseconds of a call for which a prepared interpreter waits. */
  readonly waiting: number;
  readonly perSecond: number;
}

const request = {
  source:
    'def check(job):\n    return {"outcome": "passed", "reason": "ok", "citations": [{"slot": "job", "locator": {"json_pointer": ""}}]}',
  entrypoint: 'check',
  inputs: { job: { device: 'phone', due: '2026-12-01' } },
  clock: '2026-05-04T08:00:00Z',
  timeout_ms: 10_000,
};

export async function benchSandbox(folder: string): Promise<SandboxFigures> {
  const fresh = createSandbox({ cache: folder, waiting: 2 });
  const firstEver = await time(() => call(fresh));
  await fresh.close();
  const sandbox = createSandbox({ cache: folder, waiting: 2 });
  const first = await time(() => call(sandbox));
  const waits: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 900));
    waits.push(await time(() => call(sandbox)));
  }
  const calls = 40;
  const sustained = await time(async () => {
    for (let made = 0; made < calls; made += 1) await call(sandbox);
  });
  await sandbox.close();
  return { firstEver, first, waiting: waits.sort((a, b) => a - b)[7] ?? 0, perSecond: (calls / sustained) * 1000 };
}

async function call(sandbox: Sandbox): Promise<void> {
  const reply = await sandbox.run(request, AbortSignal.timeout(60_000));
  if (reply.kind !== 'output') throw new Error(`the sandbox answered ${JSON.stringify(reply)}`);
}

async function time(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
