import { gzipSync } from 'node:zlib';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { desk, makeHost, type TestHost, uidsOf } from '#test/support/embedded-host.ts';

const traceSpec: JsonObject = {
  inputs: { run: { type: 'trace' } },
  requirements: [
    {
      id: 'looked-up',
      statement: 'The policy was looked up before the refund',
      check: {
        kind: 'trace',
        on: 'inputs.run',
        span_selector: '$.spans[*].name',
        operator: 'equals',
        expected: ['answer', 'lookup-policy', 'refund'],
      },
    },
    {
      id: 'rows',
      statement: 'The look-up found rows',
      check: {
        kind: 'trace',
        on: 'inputs.run',
        span_selector: "$.spans[?(@.name == 'lookup-policy')].attributes['rows.found']",
        operator: 'greater_than',
        expected: 0,
      },
    },
  ],
};

/** What an agent does: the stock SDK, its exporter pointed at the host. Answers the trace id. */
async function runAgent(exporter: JsonExporter | ProtobufExporter): Promise<string> {
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  const tracer = provider.getTracer('agent');
  const began = Date.now();
  const at = (milliseconds: number) => new Date(began + milliseconds);
  const answer = tracer.startSpan('answer', { kind: SpanKind.SERVER, startTime: at(0) });
  const inside = trace.setSpan(context.active(), answer);
  const lookup = tracer.startSpan('lookup-policy', { kind: SpanKind.CLIENT, startTime: at(1) }, inside);
  lookup.setAttributes({ 'rows.found': 3, tags: ['a', 'b'], ratio: 0.5, cached: false });
  lookup.addEvent('found', { at: 'index' });
  lookup.end();
  const refund = tracer.startSpan('refund', { startTime: at(2) }, inside);
  refund.setStatus({ code: SpanStatusCode.ERROR, message: 'timed out' });
  refund.end();
  answer.end();
  await provider.shutdown();
  return answer.spanContext().traceId;
}

function judge(host: TestHost, uids: Record<string, string>, traceId: string) {
  return host.call('POST', '/v1/verification/execute', {
    body: {
      verifier_card_uid: uids.tone,
      card_uid: uids['desk-agent'],
      inputs: { run: { kind: 'trace', trace_id: traceId } },
    },
  });
}

describe('the stock OpenTelemetry SDK', () => {
  it.each([
    ['protobuf', ProtobufExporter],
    ['JSON', JsonExporter],
  ])('sends a trace as %s, and a trace check judges it', { timeout: 20_000 }, async (_encoding, Exporter) => {
    await using host = await makeHost({ trace_settling_seconds: 0.2 });
    const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, traceSpec)));
    const headers = { 'x-wyrd-access-token': 'Bearer anything' };
    const traceId = await runAgent(new Exporter({ url: `${host.url}/v1/traces`, headers }));
    const { json, status } = await judge(host, uids, traceId);
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json.outcome).toMatchObject({
      verdict: 'passed',
      requirements: [{ actual: expect.anything() }, { actual: 3 }],
    });

    // What arrives later changes no replay: it judges the spans that were pinned.
    const late = { traceId, spanId: 'ab'.repeat(8), name: 'late', startTimeUnixNano: '1', endTimeUnixNano: '2' };
    const body = { resourceSpans: [{ scopeSpans: [{ spans: [late] }] }] };
    expect((await host.call('POST', '/v1/traces', { body })).text).toBe('{}');
    expect((await judge(host, uids, traceId)).json.outcome.verdict).toBe('failed');
    const path = `/v1/verification/executions/${json.execution_id}`;
    const replay = await host.call('POST', `${path}/replay`, { body: { compare: true } });
    const read = async () => (await host.call('GET', path.replace(json.execution_id, replay.json.execution_id))).json;
    while ((await read()).status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await read()).toMatchObject({ difference: [], result: { outcome: { verdict: 'passed' } } });
  });
});

const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 's', startTimeUnixNano: '1', endTimeUnixNano: 2 };
const ofSpan = (more: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...more }] }] }] });
const deep = (depth: number): object =>
  depth === 0 ? { stringValue: 'x' } : { arrayValue: { values: [deep(depth - 1)] } };
const json = { 'content-type': 'application/json' };

describe('exports that cannot be kept', () => {
  it.each<[string, string | Uint8Array, Record<string, string>]>([
    ['no JSON', '{', json],
    ['a list', '[]', json],
    ['a doubled key', '{"resourceSpans":[],"resourceSpans":[]}', json],
    ['a short trace id', JSON.stringify(ofSpan({ traceId: 'aa' })), json],
    ['a trace id of zeros', JSON.stringify(ofSpan({ traceId: '0'.repeat(32) })), json],
    ['a long span id', JSON.stringify(ofSpan({ spanId: 'b'.repeat(18) })), json],
    ['a parent that is no id', JSON.stringify(ofSpan({ parentSpanId: 'x' })), json],
    ['a time that is no number', JSON.stringify(ofSpan({ startTimeUnixNano: 'noon' })), json],
    ['an attribute that is too deep', JSON.stringify(ofSpan({ attributes: [{ key: 'k', value: deep(40) }] })), json],
    ['an integer that is none', JSON.stringify(ofSpan({ attributes: [{ key: 'k', value: { intValue: 'x' } }] })), json],
    ['text in place of protobuf', 'hello there', {}],
    ['a length past the end', Uint8Array.of(0x0a, 0x7f, 0x12), {}],
    ['a field longer than its message', Uint8Array.of(0x0a, 0x04, 0x12, 0x05, 0x12, 0x00, 0x00), {}],
    ['an unknown packing', '{}', { ...json, 'content-encoding': 'br' }],
    ['no gzip', '{}', { ...json, 'content-encoding': 'gzip' }],
  ])('%s: 400', async (_name, raw, headers) => {
    await using host = await makeHost();
    const refused = await host.call('POST', '/v1/traces', { raw, headers });
    expect(refused.json).toMatchObject({ status: 400, code: 'WYRD_VALA_400_OTLP_REQUEST_MALFORMED' });
  });

  it('inflates no further than its limit: 413', async () => {
    await using host = await makeHost();
    const raw = gzipSync(Buffer.alloc(64 * 1_048_576, 0x20));
    const refused = await host.call('POST', '/v1/traces', { raw, headers: { ...json, 'content-encoding': 'gzip' } });
    expect(refused.json).toMatchObject({ status: 413, code: 'WYRD_SPEC_413_PAYLOAD_TOO_LARGE' });
  });

  it('any bytes are answered, and the host lives', async () => {
    await using host = await makeHost();
    for (let length = 0; length < 120; length += 1) {
      const raw = Uint8Array.from({ length }, (_unused, index) => (index * 73 + length * 31) % 256);
      expect([200, 400]).toContain((await host.call('POST', '/v1/traces', { raw })).status);
    }
    expect((await host.call('GET', '/health')).status).toBe(200);
  });
});

describe('what is kept', () => {
  it('gzip, unknown fields and empty exports are taken; logs and metrics are dropped', async () => {
    await using host = await makeHost();
    const raw = gzipSync(JSON.stringify({ ...ofSpan({ extra: 1 }), more: {} }));
    expect(
      (await host.call('POST', '/v1/traces', { raw, headers: { ...json, 'content-encoding': 'gzip' } })).text,
    ).toBe('{}');
    for (const path of ['traces', 'logs', 'metrics']) {
      const answered = await host.call('POST', `/v1/${path}`, { raw: new Uint8Array() });
      expect([answered.status, answered.headers.get('content-type'), answered.text]).toEqual([
        200,
        'application/x-protobuf',
        '',
      ]);
    }
  });

  it("is another tenant's nothing, and only for keys that may record", async () => {
    await using host = await makeHost({ trace_settling_seconds: 0 });
    const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, traceSpec)));
    const own = await host.token(await host.key({ role: 'admin' }));
    const other = await host.token(await host.key({ role: 'admin', tenant: 'other' }));
    const viewer = await host.token(await host.key({ role: 'viewer' }));
    const sent = (token: string) => host.call('POST', '/v1/traces', { token, body: ofSpan({}) });
    expect((await sent(viewer)).status).toBe(403);
    expect((await sent(other)).status).toBe(200);
    const body = {
      verifier_card_uid: uids.tone,
      card_uid: uids['desk-agent'],
      inputs: { run: { kind: 'trace', trace_id: span.traceId } },
    };
    const judged = await host.call('POST', '/v1/verification/execute', { token: own, body });
    expect(judged.json.outcome.requirements[0]).toMatchObject({ reason_code: 'trace_not_found' });
  });

  it("drops a Card that is not the caller's, and keeps the span", async () => {
    await using host = await makeHost({ trace_settling_seconds: 0 });
    const [first] = traceSpec.requirements as JsonObject[];
    const check = { ...(first?.check as JsonObject), span_selector: "$.spans[0].attributes['wyrd.card_uid']" };
    const spec = {
      ...traceSpec,
      requirements: [{ ...first, check: { ...check, operator: 'is_null', expected: null } }],
    };
    const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, spec)));
    const attribute = (uid: string) => [{ key: 'wyrd.card_uid', value: { stringValue: uid } }];
    const foreign = ofSpan({ attributes: attribute('01a22ffd-497f-75b9-b2e2-fb268eeb824c') });
    await host.call('POST', '/v1/traces', { body: foreign });
    expect((await judge(host, uids, span.traceId)).json.outcome.verdict).toBe('passed');
    const ofAgent = ofSpan({ traceId: 'c'.repeat(32), attributes: attribute(uids['desk-agent'] ?? '') });
    await host.call('POST', '/v1/traces', { body: ofAgent });
    expect((await judge(host, uids, 'C'.repeat(32))).json.outcome.requirements[0].actual).toBe(uids['desk-agent']);
  });
});
