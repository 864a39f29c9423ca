import type { TestProject } from 'vitest/node';
import { startEmulator } from '../../scripts/aws/emulator.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly emulator: string;
  }
}

/** Starts the local AWS before the tests, and stops it after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const emulator = await startEmulator();
  project.provide('emulator', emulator.endpoint);
  return () => emulator.stop();
}
