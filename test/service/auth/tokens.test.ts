import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemIds } from '#adapters/embedded/system.ts';
import { tokenKeyFile } from '#adapters/embedded/token-keys.ts';
import { issueToken, type TokenPorts, verifyToken } from '#service/auth/tokens.ts';

const day = 24 * 3_600_000;
const claims = { principal: '0123abcd', tenant: 'acme', card_uid: null, permissions: ['cards:read'] as const };
let folder: string;
let now: number;
const clock = { now: () => now, sleep: async () => {} };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-tokens-'));
  now = Date.parse('2026-03-02T09:00:00Z');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ports = async (): Promise<TokenPorts> => ({
  clock,
  ids: systemIds,
  tokenKeys: await tokenKeyFile(join(folder, 'token-keys.json'), clock),
});

it('lives an hour, and says so when it is over', async () => {
  const issuing = await ports();
  const token = await issueToken(issuing, claims);
  expect(await verifyToken(issuing, token)).toEqual({ ...claims, expires_at: now + 3_600_000 });
  now += 3_599_000;
  await verifyToken(issuing, token);
  now += 1_000;
  await expect(verifyToken(issuing, token)).rejects.toMatchObject({ code: 'WYRD_AUTH_401_TOKEN_EXPIRED' });
});

it('outlives the rotation of its key and a restart, but not a second rotation', async () => {
  const first = await ports();
  now += 31 * day - 600_000;
  const old = await issueToken(await ports(), claims);
  expect((await first.tokenKeys.valid()).length).toBe(1);
  const issuing = await ports();
  now += 700_000;
  await issueToken(issuing, claims);
  expect(await issuing.tokenKeys.valid()).toHaveLength(2);
  expect((await verifyToken(await ports(), old)).principal).toBe('0123abcd');
  await issuing.tokenKeys.rotate();
  expect(await issuing.tokenKeys.valid()).toHaveLength(2);
  await issuing.tokenKeys.rotate();
  await expect(verifyToken(issuing, old)).rejects.toMatchObject({ code: 'WYRD_AUTH_401_INVALID_TOKEN' });
});

it('keeps its keys in a file that only its owner reads', async () => {
  await ports();
  const path = join(folder, 'token-keys.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8')).keys).toHaveLength(1);
});
