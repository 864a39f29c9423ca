import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '#adapters/sandbox/sandbox.ts';
import type { Sandbox } from '#service/ports.ts';

let shared: Sandbox | undefined;

/** One real sandbox for all tests of a worker; its snapshot is kept between runs of the suite. */
export function sharedSandbox(): Sandbox {
  shared ??= createSandbox({
    cache: join(tmpdir(), 'touchstone-test-sandbox'),
    waiting: 2,
    queue: 256,
    patience_ms: 300_000,
  });
  return shared;
}
