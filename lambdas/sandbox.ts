import { fileURLToPath } from 'node:url';
import { callCarrier, fromJsonBytes, toJsonBytes } from '#adapters/aws/carrier.ts';
import { createSandbox } from '#adapters/sandbox/sandbox.ts';
import { type Parcel, parcelSchema, sandboxCallSchema } from '#contract/remote-calls.ts';

/** The snapshot is part of the bundle; the subnets of this function have no route out (lib/service/sandbox-network.ts). */
const sandbox = createSandbox({
  cache: fileURLToPath(new URL('./sandbox', import.meta.url)),
  node: process.execPath,
  unconnected: true,
  // One call at a time comes here, and what is started after an answer stands still until the next.
  waiting: 0,
});
const mostCallBytes = 32 << 20;

/** Runs one Python check in a process of its own, in a fresh interpreter. */
export async function handler(event: unknown): Promise<Parcel> {
  const { content } = parcelSchema.parse(event);
  const call = sandboxCallSchema.parse(fromJsonBytes(await callCarrier.unpack(content, mostCallBytes)));
  const reply = await sandbox.run(call, new AbortController().signal);
  return { content: await callCarrier.pack(toJsonBytes(reply)) };
}
