/** Refusals after which a drain stops: the store is not back yet. */
const mostRefusals = 3;

/**
 * Brings in what waits in a spool, one after the other, and answers how many are left. One that is refused stays and keeps
 * nothing behind it from being stored: each drain begins somewhere else.
 */
export async function drainEach<Waiting>(
  waiting: readonly Waiting[],
  bringIn: (one: Waiting) => Promise<void>,
): Promise<number> {
  const start = Math.floor(Math.random() * waiting.length);
  let left = waiting.length;
  let refusals = 0;
  for (const one of [...waiting.slice(start), ...waiting.slice(0, start)]) {
    try {
      await bringIn(one);
      left -= 1;
    } catch {
      refusals += 1;
      if (refusals === mostRefusals) break;
    }
  }
  return left;
}
