import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';
import type { Clock, Ids, Log } from '#service/ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};

export const systemIds: Ids = { next: () => v7() };

/** One JSON line an event, to a stream of the caller's. */
export function lineLog(write: (line: string) => void, clock: Clock): Log {
  const at = (level: string) => (message: string, fields?: JsonObject) =>
    write(`${JSON.stringify({ time: new Date(clock.now()).toISOString(), level, message, ...fields })}\n`);
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
