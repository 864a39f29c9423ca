import { firstLine, headersOf, type Load, preparedLoad, spawnHost } from './http.ts';

export interface SubmitFigures {
  /** Milliseconds of one call. */
  readonly p50: number;
  readonly p99: number;
  readonly settledPerSecond: number;
}

/** A tenant may have 1,000 unsettled executions (docs/spec/background.md §2.6). */
const burst = 900;
const bursts = 5;

/** `POST /v1/verification/enqueue` of ten assertions on the embedded host, and how fast the work behind it is done. */
export async function benchSubmit(data: string): Promise<SubmitFigures> {
  const child = spawnHost(data);
  try {
    const load = await preparedLoad(await firstLine(child));
    for (let warm = 0; warm < 300; warm += 1) await enqueue(load);
    await allSettled(load);
    const took: number[] = [];
    for (let call = 0; call < 800; call += 1) took.push(await enqueue(load));
    await allSettled(load);
    took.sort((left, right) => left - right);
    return { p50: took[400] ?? 0, p99: took[792] ?? 0, settledPerSecond: await settledPerSecond(load) };
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}

async function settledPerSecond(load: Load): Promise<number> {
  let total = 0;
  for (let round = 0; round < bursts; round += 1) {
    const from = performance.now();
    await enqueueTogether(load, 16);
    await allSettled(load);
    total += performance.now() - from;
  }
  return (burst * bursts) / (total / 1_000);
}

async function enqueueTogether(load: Load, connections: number): Promise<void> {
  let left = burst;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await enqueue(load);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

/** Milliseconds of one call. */
async function enqueue({ url, token, body }: Load): Promise<number> {
  const from = performance.now();
  const answer = await fetch(`${url}/v1/verification/enqueue`, {
    method: 'POST',
    headers: headersOf(token, { 'idempotency-key': crypto.randomUUID() }),
    body,
  });
  await answer.json();
  if (answer.status !== 202) throw new Error(`enqueue answered ${answer.status}`);
  return performance.now() - from;
}

/** Until no execution is open. The list is asked seldom, so that the asking costs little. */
async function allSettled({ url, token }: Load): Promise<void> {
  for (const status of ['pending', 'running']) {
    for (;;) {
      const answer = await fetch(`${url}/v1/verification/executions?status=${status}&limit=1`, {
        headers: headersOf(token),
      });
      if (((await answer.json()) as { readonly items: readonly unknown[] }).items.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
