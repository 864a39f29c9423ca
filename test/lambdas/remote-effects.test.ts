import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Carrier, CarryError, callCarrier, fromJsonBytes, toJsonBytes } from '#adapters/aws/carrier.ts';
import { remoteExtract } from '#adapters/aws/remote-extract.ts';
import { remoteModels, toModelRequest } from '#adapters/aws/remote-models.ts';
import { remoteSandbox } from '#adapters/aws/remote-sandbox.ts';
import { extractCallSchema, modelsCallSchema, parcelSchema, sandboxCallSchema } from '#contract/remote-calls.ts';
import type { ModelRequest, SandboxRequest } from '#service/ports.ts';

const signal = new AbortController().signal;

/** A bucket of the test's own. */
function memoryCarrier(): Carrier & { readonly objects: Map<string, Uint8Array> } {
  const objects = new Map<string, Uint8Array>();
  return {
    objects,
    pack: async (bytes) => {
      if (bytes.byteLength <= 1_000) return callCarrier.pack(bytes);
      const key = `calls/${objects.size}`;
      objects.set(key, bytes);
      return { key };
    },
    unpack: async (carried, most) =>
      'key' in carried ? (objects.get(carried.key) ?? new Uint8Array()) : callCarrier.unpack(carried, most),
  };
}

/** What the other side sees after the call went over the wire as JSON. */
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('bytes inside a call', () => {
  it('arrive as they were sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), fc.constantFrom(1, 1_000), async (bytes, times) => {
        const sent = Buffer.concat(Array.from({ length: times }, () => bytes));
        const carried = await callCarrier.pack(sent);
        expect(Buffer.from(await callCarrier.unpack(carried, sent.length + 1)).equals(sent)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('are refused above their limit, packed or not', async () => {
    const small = await callCarrier.pack(Buffer.alloc(1_000));
    const large = await callCarrier.pack(Buffer.alloc(10_000_000));
    await expect(callCarrier.unpack(small, 999)).rejects.toThrow();
    await expect(callCarrier.unpack(large, 9_999_999)).rejects.toThrow();
  });

  it('that do not fit even when compressed are refused before the call', async () => {
    await expect(callCarrier.pack(randomBytes(5_000_000))).rejects.toThrow(CarryError);
  });
});

describe('remote extract', () => {
  it.each([10, 100_000])('brings %i bytes of a document there and its output back', async (size) => {
    const carrier = memoryCarrier();
    const output = { format: 'text', text: 'y'.repeat(size) };
    const extract = remoteExtract(async (payload) => {
      const call = extractCallSchema.parse(overTheWire(payload));
      expect((await carrier.unpack(call.bytes, size)).byteLength).toBe(size);
      return overTheWire({
        content: await carrier.pack(toJsonBytes({ kind: 'output', output, warnings: [], version: 'v/1' })),
      });
    }, carrier);
    const reply = await extract.extract({ format: 'text', bytes: Buffer.alloc(size) }, signal);
    expect(reply).toEqual({ kind: 'output', output, warnings: [], version: 'v/1' });
    expect(carrier.objects.size).toBe(size > 1_000 ? 2 : 0);
  });
});

const sandboxRequest: SandboxRequest = {
  source: 'def check(x): return x',
  entrypoint: 'check',
  inputs: { x: [1, 'ü', null] },
  clock: '2026-01-01T00:00:00Z',
  timeout_ms: 1_000,
};

describe('remote sandbox', () => {
  it('carries everything inside the call, also what is large', async () => {
    const request = { ...sandboxRequest, inputs: { x: 'z'.repeat(8_000_000) } };
    const sandbox = remoteSandbox(async (payload) => {
      expect(JSON.stringify(payload).length).toBeLessThan(6_000_000);
      const { content } = parcelSchema.parse(overTheWire(payload));
      expect(sandboxCallSchema.parse(fromJsonBytes(await callCarrier.unpack(content, 32 << 20)))).toEqual(request);
      return { content: await callCarrier.pack(toJsonBytes({ kind: 'busy' })) };
    });
    expect(await sandbox.run(request, signal)).toEqual({ kind: 'busy' });
  });

  it.each<[string, unknown]>([
    ['another shape', { kind: 'output', output: 1 }],
    ['an invented code', { kind: 'failure', code: 'passed', retryable: false }],
    ['a verdict of its own', { kind: 'verdict', verdict: 'passed' }],
    ['too much print', { kind: 'output', output: 1, printed: 'x'.repeat(70_000), interpreter: 'p' }],
  ])('believes no answer of %s', async (_name, reply) => {
    const sandbox = remoteSandbox(async () => ({ content: await callCarrier.pack(toJsonBytes(reply)) }));
    await expect(sandbox.run(sandboxRequest, signal)).rejects.toThrow();
  });

  it('is busy when the platform has no capacity', async () => {
    expect(await remoteSandbox(async () => 'busy').run(sandboxRequest, signal)).toEqual({ kind: 'busy' });
  });
});

describe('remote models', () => {
  it('brings media byte for byte', async () => {
    const request: ModelRequest = {
      route: { kind: 'wyrd_gateway', deployment: 'judge' },
      provider: 'openai',
      model: 'm',
      system: null,
      messages: [
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'look' },
            { kind: 'media', media_type: 'image/png', bytes: Buffer.from([0, 255, 1]), filename: 'a.png' },
          ],
        },
      ],
      settings: { temperature: 0 },
      schema: { type: 'object' },
      tools: [],
    };
    const carrier = memoryCarrier();
    const answer = {
      kind: 'answer',
      text: '{}',
      tool_calls: [],
      model_reported: 'm-1',
      request_sha256: 'a',
      response_sha256: 'b',
    };
    const models = remoteModels(async (payload) => {
      const { content } = parcelSchema.parse(overTheWire(payload));
      const call = modelsCallSchema.parse(fromJsonBytes(await carrier.unpack(content, 1_000_000)));
      expect(toModelRequest(call)).toEqual(request);
      return { content: await carrier.pack(toJsonBytes(answer)) };
    }, carrier);
    expect(await models.generate(request, signal)).toEqual(answer);
  });
});
