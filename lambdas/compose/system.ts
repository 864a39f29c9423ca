import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { metrics } from '#contract/aws-names.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Clock, Ids, Log } from '#service/ports.ts';

export const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};

export const ids: Ids = { next: () => v7() };

/** One JSON line an event: the platform keeps what is already JSON as it is. */
export const log: Log = { info: at('INFO'), warn: at('WARN'), error: at('ERROR') };

function at(level: string) {
  return (message: string, fields?: JsonObject) =>
    writeLine({ timestamp: new Date().toISOString(), level, message, ...fields });
}

/** A CloudWatch metric in the embedded form, without dimensions. */
export function countMetric(name: string, value: number): void {
  const directive = { Namespace: metrics.namespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] };
  writeLine({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] }, [name]: value });
}

function writeLine(value: JsonObject): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
