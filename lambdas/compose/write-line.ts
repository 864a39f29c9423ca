import type { JsonObject } from '#contract/json.ts';

/** One JSON line to the log, past the runtime's own `console`, which would wrap it: the platform keeps it as it is. */
export function writeLine(value: JsonObject): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
