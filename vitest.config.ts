import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need the local AWS, or programs of others: vitest.aws.config.ts, vitest.interop.config.ts.
    exclude: ['test/aws/**', 'test/interop/**'],
    testTimeout: 30_000,
  },
});
