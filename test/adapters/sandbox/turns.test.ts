import { describe, expect, test } from 'vitest';
import { createTurns } from '#adapters/sandbox/turns.ts';

const never = new AbortController().signal;

describe('turns', () => {
  test('are given in the order of asking, as many at a time as there are', async () => {
    const turns = createTurns(2, 10, 60_000);
    const order: number[] = [];
    const calls = [1, 2, 3, 4].map(async (call) => {
      const turn = await turns.take(never);
      order.push(call);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (typeof turn !== 'string') turn.release();
    });
    await Promise.all(calls);
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('are refused when too many wait, or one waits too long, and nothing is lost by it', async () => {
    const turns = createTurns(1, 1, 20);
    const first = await turns.take(never);
    const second = turns.take(never);
    expect(await turns.take(never)).toBe('busy');
    expect(await second).toBe('busy');
    if (typeof first !== 'string') first.release();
    expect(await turns.take(never)).toMatchObject({ release: expect.any(Function) });
  });

  test('are given up by a caller that leaves', async () => {
    const turns = createTurns(1, 5, 60_000);
    const first = await turns.take(never);
    const leaving = new AbortController();
    const second = turns.take(leaving.signal);
    const third = turns.take(never);
    leaving.abort();
    expect(await second).toBe('cancelled');
    expect(await turns.take(leaving.signal)).toBe('cancelled');
    if (typeof first !== 'string') first.release();
    expect(await third).toMatchObject({ release: expect.any(Function) });
  });
});
