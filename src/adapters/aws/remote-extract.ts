import { extractReplySchema, parcelSchema } from '#contract/remote-calls.ts';
import type { Extract, ExtractReply } from '#service/ports.ts';
import type { CallFunction } from './call-function.ts';
import { type Carrier, fromJsonBytes } from './carrier.ts';

/** An output is 16 MiB at most (docs/spec/verification.md §16.3). */
const mostReplyBytes = 32 << 20;

/** The `Extract` port in a function of its own: the parsers of hostile documents, and their memory, are not ours. */
export function remoteExtract(call: CallFunction, carrier: Carrier): Extract {
  return {
    extract: async ({ format, bytes }, signal): Promise<ExtractReply> => {
      const answer = await call({ format, bytes: await carrier.pack(bytes) }, signal);
      if (answer === 'busy') return { kind: 'busy' };
      const { content } = parcelSchema.parse(answer);
      return extractReplySchema.parse(fromJsonBytes(await carrier.unpack(content, mostReplyBytes)));
    },
  };
}
