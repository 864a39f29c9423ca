import { parcelSchema, sandboxReplySchema } from '#contract/remote-calls.ts';
import type { Sandbox, SandboxReply } from '#service/ports.ts';
import type { CallFunction } from './call-function.ts';
import { CarryError, callCarrier, fromJsonBytes, toJsonBytes } from './carrier.ts';

/** An answer is 1 MiB at most and 64 KiB of print (docs/spec/verification.md §4.5). */
const mostReplyBytes = 4 << 20;

/** The `Sandbox` port in a function that reaches nothing, so that everything travels inside the call. */
export function remoteSandbox(call: CallFunction): Sandbox {
  return {
    run: async (request, signal): Promise<SandboxReply> => {
      try {
        const answer = await call({ content: await callCarrier.pack(toJsonBytes(request)) }, signal);
        if (answer === 'busy') return { kind: 'busy' };
        const { content } = parcelSchema.parse(answer);
        return sandboxReplySchema.parse(fromJsonBytes(await callCarrier.unpack(content, mostReplyBytes)));
      } catch (error) {
        if (!(error instanceof CarryError)) throw error;
        return { kind: 'failure', code: 'code_memory', retryable: false, reason: 'the inputs are above their limits' };
      }
    },
    close: async () => {},
  };
}
