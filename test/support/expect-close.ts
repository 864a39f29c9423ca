import { expect } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';

/** Within 1e-9, above 1 relatively; members that the case does not name are not compared. */
export function expectClose(found: Json | undefined, expected: Json, at: string): void {
  if (typeof expected === 'number') {
    const tolerance = 1e-9 * Math.max(1, Math.abs(expected));
    expect(typeof found, at).toBe('number');
    expect(Math.abs(Number(found) - expected), `${at}: ${found} is not ${expected}`).toBeLessThanOrEqual(tolerance);
  } else if (typeof expected !== 'object' || expected === null) expect(found, at).toBe(expected);
  else if (Array.isArray(expected)) {
    expect(found, at).toHaveLength(expected.length);
    for (const [index, item] of expected.entries()) expectClose((found as Json[])[index], item, `${at}/${index}`);
  } else {
    if (at.endsWith('/features')) expect(Object.keys(found as JsonObject), at).toEqual(Object.keys(expected));
    for (const [name, item] of Object.entries(expected))
      expectClose((found as JsonObject)?.[name], item, `${at}/${name}`);
  }
}
