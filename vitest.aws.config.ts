import { defineConfig } from 'vitest/config';

/** Tests that need the local AWS; it is started once for all of them. Python 3 makes its environment the first time. */
export default defineConfig({
  test: {
    include: ['test/aws/**/*.test.ts'],
    globalSetup: ['test/support/aws-emulator.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
