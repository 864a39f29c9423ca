import { defineConfig } from 'vitest/config';

/** Others' programs read our records. Python 3 and OpenSSL are needed; the packages are installed the first time. */
export default defineConfig({ test: { include: ['test/interop/**/*.test.ts'], testTimeout: 60_000 } });
