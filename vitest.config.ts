import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests of code without state, which may meet each other in one process. */
const stateless = ['test/engine/**/*.test.ts', 'test/contract/**/*.test.ts'];

export default defineConfig({
  test: {
    // Most of the time is work of the processor: as many workers as it has cores.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'stateless', include: stateless, isolate: false } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['test/**/*.test.ts'],
          // Some need the local AWS, or programs of others: vitest.aws.config.ts, vitest.interop.config.ts.
          exclude: ['test/aws/**', 'test/interop/**', ...stateless],
        },
      },
    ],
    testTimeout: 120_000,
    // Hosts and commands that tests start find their code compiled.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/touchstone') },
  },
});
