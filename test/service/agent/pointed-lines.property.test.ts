import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { resolvePointer } from '#engine/citations/resolve-pointer.ts';
import { jsonText, pointedLines } from '#service/agent/workspace/pointed-lines.ts';

it('every line of a value has a pointer that resolves to what stands in it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (any) => {
      const value = any as Json;
      const lines = jsonText(value).split('\n');
      const pointers = [...pointedLines(value, '')];
      expect(pointers).toHaveLength(lines.length);
      for (const [index, pointer] of pointers.entries()) {
        const found = resolvePointer(value, pointer);
        if (found === null) throw new Error(`${pointer} of ${JSON.stringify(value)}`);
        const line = (lines[index] ?? '').trim().replace(/,$/, '');
        const held = found.value;
        const isOpen = typeof held === 'object' && held !== null && Object.keys(held).length > 0;
        if (isOpen) expect(line).toMatch(/[[\]{}]$/);
        else expect(line.endsWith(JSON.stringify(held))).toBe(true);
      }
    }),
  );
});
