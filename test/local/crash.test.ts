import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { openStore } from '#local/open-store.ts';
import { card, desk } from '#test/support/embedded-host.ts';

/** Everything that the host acknowledged before it was killed. */
interface Acknowledged {
  readonly cards: { readonly uid: string; readonly spec_hash: string }[];
  readonly results: { readonly id: string; readonly text: string }[];
  readonly files: string[];
}

const seeds = process.env.TOUCHSTONE_LONG === '1' ? Array.from({ length: 60 }, (_unused, n) => n + 1) : [1, 2, 3];

async function startChild(data: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const script = resolve(import.meta.dirname, '../support/crash-host.ts');
  const child = spawn(process.execPath, [script, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, url: line.toString('utf8').trim() };
}

async function call(
  url: string,
  method: string,
  path: string,
  body?: string,
  key?: string,
): Promise<{ status: number; text: string }> {
  const headers = {
    'x-wyrd-access-token': 'Bearer x',
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: response.status, text: await response.text() };
}

async function declareUntilKilled(url: string, seed: number, seen: Acknowledged): Promise<void> {
  for (let n = 0; ; n += 1) {
    const body = JSON.stringify({
      submissions: [card('Policy', `rule-${seed}`, { n, pad: 'x'.repeat(n % 5_000) }, {})],
    });
    const answered = await call(url, 'POST', '/v1/cards', body, `crash-${v7()}`);
    expect(answered.status).toBe(201);
    const [outcome] = JSON.parse(answered.text).outcomes;
    seen.cards.push({ uid: outcome.card_ref.uid, spec_hash: outcome.spec_hash });
  }
}

async function executeUntilKilled(url: string, target: object, seen: Acknowledged): Promise<void> {
  for (let n = 0; ; n += 1) {
    const inputs = { answer: { kind: 'json', value: `${n} ${'y'.repeat(n % 3_000)}` } };
    const answered = await call(url, 'POST', '/v1/verification/execute', JSON.stringify({ ...target, inputs }));
    expect(answered.status).toBe(200);
    seen.results.push({ id: JSON.parse(answered.text).execution_id, text: answered.text });
  }
}

async function uploadUntilKilled(url: string, seed: number, seen: Acknowledged): Promise<void> {
  for (let n = 0; ; n += 1) {
    const content = `${seed} ${n} ${'z'.repeat((n * 7_919) % 200_000)}`;
    const file = { sha256: createHash('sha256').update(content).digest('hex'), size_bytes: content.length };
    const planned = await call(url, 'POST', '/v1/verification/evidence', JSON.stringify({ files: [file] }));
    const put = await call(url, 'PUT', JSON.parse(planned.text).uploads[0].plan.data.put_url, content);
    expect(put.status).toBe(200);
    seen.files.push(file.sha256);
  }
}

/** Loops end when the connection breaks; only a refused assertion is a failure. */
async function endsWithTheHost(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
}

it.each(seeds)('loses nothing acknowledged when it is killed at any moment (seed %i)', async (seed) => {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-crash-'));
  const seen: Acknowledged = { cards: [], results: [], files: [] };
  const { child, url } = await startChild(data);
  try {
    const declared = JSON.parse(
      (await call(url, 'POST', '/v1/cards', JSON.stringify({ submissions: desk() }), `desk-${v7()}`)).text,
    );
    const uid = (name: string) =>
      declared.outcomes.find((outcome: { card_ref: { name: string } }) => outcome.card_ref.name === name).card_ref
        .uid as string;
    const target = { verifier_card_uid: uid('tone'), card_uid: uid('desk-agent') };
    const work = [
      declareUntilKilled(url, seed, seen),
      executeUntilKilled(url, target, seen),
      executeUntilKilled(url, target, seen),
      uploadUntilKilled(url, seed, seen),
    ].map(endsWithTheHost);
    // A different moment for each seed, in the middle of the work, however fast the machine is.
    const acknowledged = () => seen.results.length + seen.cards.length + seen.files.length;
    const enough = 4 + ((seed * 7_919) % 150);
    const watch = setInterval(() => acknowledged() >= enough && child.kill('SIGKILL'), 1);
    await Promise.all(work);
    clearInterval(watch);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');

    const store = await openStore(data);
    for (const { uid: cardUid, spec_hash } of seen.cards) {
      expect(await store.registry.byUid('local', cardUid)).toMatchObject({ spec_hash, status: 'active' });
    }
    for (const { id, text } of seen.results) {
      const found = await store.executions.find('local', id);
      const { record, ...result } = JSON.parse(text) as Record<string, unknown>;
      expect(JSON.stringify(result)).toBe(found?.result);
      expect(record).toEqual({ state: 'signed', digest: found?.record?.sha256 });
    }
    for (const sha256 of seen.files) {
      const bytes = await store.evidence.read('local', sha256);
      expect(bytes && createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
    // Nothing half-written has a name.
    const tenantFolder = join(data, 'evidence', 'local', 'sha256');
    for (const name of await readdir(tenantFolder, { recursive: true }).catch(() => [])) {
      const digest = name.split('/').at(-1) ?? '';
      if (digest.length !== 64) continue;
      const bytes = await store.evidence.read('local', digest);
      expect(bytes && createHash('sha256').update(bytes).digest('hex')).toBe(digest);
    }
    expect(await readdir(join(data, 'evidence', 'incoming'))).toEqual([]);
    await store.close();
    expect(acknowledged()).toBeGreaterThan(3);
  } finally {
    child.kill('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});

it('opens for one process at a time', async () => {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-lock-'));
  const { child } = await startChild(data);
  try {
    await expect(openStore(data)).rejects.toThrow('in use by another process');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await openStore(data);
    await store.close();
  } finally {
    child.kill('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});
