import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUuidV7 } from '#contract/ids.ts';
import { uuidV7 } from '#sdk/uuid-v7.ts';

const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('is a UUIDv7 whatever the time, and begins with it', () => {
  fc.assert(
    fc.property(instant, (now) => {
      const uuid = uuidV7(now);
      expect(isUuidV7(uuid)).toBe(true);
      expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
    }),
  );
});

test('does not repeat within one instant', () => {
  expect(new Set(Array.from({ length: 1000 }, () => uuidV7(5))).size).toBe(1000);
});
