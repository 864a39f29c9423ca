import type { Clock } from '../ports.ts';
import type { TokenKeys } from '../ports/keys.ts';

/** Milliseconds; far above the life of a token, so that the key before is needed by no token when it falls away. */
const keyLife = 30 * 86_400_000;

/** Puts a new key first when the newest is 30 days old (docs/spec/wire.md §2.3). Answers whether it did. */
export async function rotateTokenKeys(ports: {
  readonly tokenKeys: TokenKeys;
  readonly clock: Clock;
}): Promise<boolean> {
  const [newest] = await ports.tokenKeys.valid();
  if (newest !== undefined && ports.clock.now() - newest.created_at < keyLife) return false;
  await ports.tokenKeys.rotate();
  return true;
}
