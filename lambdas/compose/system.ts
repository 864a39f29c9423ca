import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';
import type { Clock, Ids, Log } from '#service/ports.ts';
import { idsOfCall } from './call-ids.ts';
import { writeLine } from './write-line.ts';

export const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};

export const ids: Ids = { next: () => v7() };

/** One JSON line an event, with the ids of the call that wrote it. */
export const log: Log = { info: at('INFO'), warn: at('WARN'), error: at('ERROR') };

function at(level: string) {
  return (message: string, fields?: JsonObject) =>
    writeLine({ timestamp: new Date().toISOString(), level, message, ...idsOfCall(), ...fields });
}
