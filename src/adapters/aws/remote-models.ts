import { type ModelsCall, modelsReplySchema, parcelSchema } from '#contract/remote-calls.ts';
import type { ModelMessage, ModelPart, ModelReply, ModelRequest, Models } from '#service/ports.ts';
import type { CallFunction } from './call-function.ts';
import { type Carrier, fromJsonBytes, toJsonBytes } from './carrier.ts';

/** A provider's answer is 1 MiB at most (docs/spec/verification.md §16.3); tool arguments repeat parts of it. */
const mostReplyBytes = 8 << 20;

/** The `Models` port in a function of its own, which alone may read the providers' keys. */
export function remoteModels(call: CallFunction, carrier: Carrier): Models {
  return {
    generate: async (request, signal): Promise<ModelReply> => {
      const answer = await call({ content: await carrier.pack(toJsonBytes(toCall(request))) }, signal);
      if (answer === 'busy') return { kind: 'busy' };
      const { content } = parcelSchema.parse(answer);
      return modelsReplySchema.parse(fromJsonBytes(await carrier.unpack(content, mostReplyBytes)));
    },
  };
}

function toCall(request: ModelRequest): ModelsCall {
  const { route, provider, model, system, settings, schema, tools } = request;
  const messages = request.messages.map(({ role, parts }) => ({ role, parts: parts.map(toCallPart) }));
  return { route, provider, model, system, messages, settings, schema, tools: [...tools] };
}

function toCallPart(part: ModelPart): ModelsCall['messages'][number]['parts'][number] {
  if (part.kind !== 'media') return part;
  const { bytes, ...rest } = part;
  return { ...rest, base64: Buffer.from(bytes).toString('base64') };
}

/** The request as the models function reads it from its call. */
export function toModelRequest(call: ModelsCall): ModelRequest {
  return { ...call, messages: call.messages.map(toMessage) };
}

function toMessage({ role, parts }: ModelsCall['messages'][number]): ModelMessage {
  return {
    role,
    parts: parts.map((part) => {
      if (part.kind !== 'media') return part;
      const { base64, ...rest } = part;
      return { ...rest, bytes: Buffer.from(base64, 'base64') };
    }),
  };
}
