import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need the local AWS: vitest.aws.config.ts.
    exclude: ['test/aws/**'],
    testTimeout: 30_000,
  },
});
