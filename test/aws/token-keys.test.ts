import {
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
  PutSecretValueCommand,
} from '@aws-sdk/client-secrets-manager';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';

const minute = 60_000;
let store: AwsStore;
let ahead: number;
/** A clock that the test moves, for every process of it. */
const clock = { ...systemClock, now: () => Date.now() + ahead };
const secretId = () => store.environment.TOUCHSTONE_TOKEN_KEYS_SECRET;
const process = () => anotherProcess(store, { clock }).ports.tokenKeys;
const kids = async (keys: ReturnType<typeof process>) => (await keys.valid()).map((key) => key.kid);

beforeEach(async () => {
  ahead = 0;
  store = await freshAwsStore(clock);
});

describe('keys of access tokens', () => {
  it('begin with the one that the deployment generated', async () => {
    const [key] = await process().valid();
    expect(key).toMatchObject({ kid: 'first', created_at: 0 });
    expect(key?.secret).toHaveLength(64);
  });

  it('let a new key sign only when every process knows it', async () => {
    const [mine, other] = [process(), process()];
    expect(await kids(other)).toEqual(['first']);
    await mine.rotate();
    const [, added] = await kids(mine);
    expect(await kids(mine)).toEqual(['first', added]);
    // The other one remembers the old keys: what it would refuse, nobody signs yet.
    expect(await kids(other)).toEqual(['first']);
    ahead = minute + 1;
    expect(await kids(other)).toEqual(['first', added]);
    ahead = 2 * minute + 1;
    expect(await kids(mine)).toEqual([added, 'first']);
    expect(await kids(other)).toEqual([added, 'first']);
  });

  it('are two at most, and one more only after the last has signed', async () => {
    const keys = process();
    await keys.rotate();
    await keys.rotate();
    const [, second] = await kids(keys);
    expect(second).toBeDefined();
    ahead = 3 * minute;
    await keys.rotate();
    const [signing, third] = await kids(keys);
    expect(signing).toBe(second);
    expect(new Set([signing, third]).size).toBe(2);
  });

  it('change once when many rotate at the same time', async () => {
    await Promise.all(Array.from({ length: 6 }, () => process().rotate()));
    const all = await kids(process());
    expect(all).toHaveLength(2);
    const { Versions } = await store.clients.secrets.send(new ListSecretVersionIdsCommand({ SecretId: secretId() }));
    const current = Versions?.filter((version) => version.VersionStages?.includes('AWSCURRENT'));
    expect(current).toHaveLength(1);
  });

  it.each(['', '{', '{"keys":[]}', '{"keys":[{"kid":"a","secret":"short","created_at":1}]}', '[]'])(
    'are never made of a secret that is %s',
    async (SecretString) => {
      await store.clients.secrets.send(
        new PutSecretValueCommand({ SecretId: secretId(), SecretString: SecretString || ' ' }),
      );
      await expect(process().valid()).rejects.toMatchObject({ name: 'StoreFailure' });
      const { SecretString: kept } = await store.clients.secrets.send(
        new GetSecretValueCommand({ SecretId: secretId() }),
      );
      expect(kept).toBe(SecretString || ' ');
    },
  );
});
