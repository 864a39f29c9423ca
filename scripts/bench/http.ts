import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import autocannon from 'autocannon';
import { evidence, spec } from './engine.ts';

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

export interface HttpFigures {
  /** Milliseconds from spawning the process to its first answer. */
  readonly start: number;
  readonly idleMegabytes: number;
  readonly alone: Latency;
  readonly together: Latency;
  readonly verifications: number;
  readonly afterMegabytes: number;
}

/** `POST /v1/verification/execute` of ten assertions on the embedded host, every answer durable. */
export async function benchHttp(data: string, verifications: number): Promise<HttpFigures> {
  const from = performance.now();
  const child = spawnHost(data);
  try {
    const url = await firstLine(child);
    await fetch(`${url}/health`);
    const start = performance.now() - from;
    const idleMegabytes = await residentMegabytes(child.pid);
    const load = await preparedLoad(url);
    await fire(load, 1, 2_000);
    const alone = await fire(load, 1, 3_000);
    const together = await fire(load, 16, 20_000);
    const made = 25_000;
    if (verifications > made) await fire(load, 16, verifications - made);
    return { start, idleMegabytes, alone, together, verifications, afterMegabytes: await residentMegabytes(child.pid) };
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}

export interface Load {
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

export async function preparedLoad(url: string): Promise<Load> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'local',
    subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
    client_id: 'wyrd-cli',
  });
  const { access_token: token } = (await (await fetch(`${url}/auth/token`, { method: 'POST', body: form })).json()) as {
    access_token: string;
  };
  const sibling = { kind: 'Verifier', name: 'ten-checks', version: '1.0.0' };
  const declared = await fetch(`${url}/v1/cards`, {
    method: 'POST',
    headers: headersOf(token, { 'idempotency-key': `card-declaration-${crypto.randomUUID()}` }),
    body: JSON.stringify({
      submissions: [
        {
          apiVersion: 'wyrd/v1',
          kind: 'Verifier',
          metadata: { name: 'ten-checks', version: '1.0.0' },
          spec,
          artifacts: [],
        },
        {
          apiVersion: 'wyrd/v1',
          kind: 'Service',
          metadata: { name: 'bench', version: '1.0.0' },
          spec: { verified_by: [{ verifier: { sibling } }] },
          artifacts: [],
        },
      ],
    }),
  });
  const { outcomes } = (await declared.json()) as { outcomes: { card_ref: { kind: string; uid: string } }[] };
  const uidOf = (kind: string) => outcomes.find(({ card_ref }) => card_ref.kind === kind)?.card_ref.uid;
  const body = {
    verifier_card_uid: uidOf('Verifier'),
    card_uid: uidOf('Service'),
    inputs: { doc: { kind: 'json', value: evidence } },
  };
  return { url, token, body: JSON.stringify(body) };
}

export function headersOf(token: string, more: Readonly<Record<string, string>> = {}) {
  return { 'content-type': 'application/json', 'x-wyrd-access-token': `Bearer ${token}`, ...more };
}

async function fire({ url, token, body }: Load, connections: number, amount: number): Promise<Latency> {
  const result = await autocannon({
    url: `${url}/v1/verification/execute`,
    method: 'POST',
    headers: headersOf(token),
    body,
    connections,
    amount,
  });
  if (result['2xx'] !== amount) throw new Error(`only ${result['2xx']} of ${amount} calls were answered`);
  return { p50: result.latency.p50, p99: result.latency.p99, perSecond: amount / result.duration };
}

/** A host in a process of its own, which finds its code compiled as the command line does. */
export function spawnHost(data: string): ChildProcess {
  return spawn(process.execPath, ['scripts/bench/serve.ts', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/touchstone' },
  });
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the host ended with ${code}`)));
  });
}

/** Linux only; elsewhere 0. */
async function residentMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
