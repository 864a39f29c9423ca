import { defineConfig } from 'vitest/config';

/** Run by `npm run acceptance` (scripts/acceptance.ts), never with the other tests: it needs a running host. */
export default defineConfig({
  test: {
    include: ['test/acceptance/**/*.acceptance.ts'],
    globalSetup: ['test/acceptance/model-provider.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
