import { jsonRoute } from '../route.ts';

const protobuf = 'application/x-protobuf';
/** docs/spec/wire.md §9.6. */
const limit = 4 * 1_048_576;

const nothing = new Uint8Array();

/** An empty answer says that all was taken, in either encoding of OTLP/HTTP. */
async function accepted(contentType: string | null) {
  const { isJson } = await import('#service/traces/receive-traces.ts');
  if (isJson(contentType)) return { json: {} };
  return { bytes: nothing, content_type: protobuf };
}

export const telemetryRoutes = [
  jsonRoute<Uint8Array>({
    method: 'POST',
    path: '/v1/traces',
    summary: 'Record spans: OTLP/HTTP, protobuf or JSON, perhaps packed by gzip',
    any_of: ['bifrost_record:write'],
    success: { status: 200, content_type: protobuf },
    body: { kind: 'bytes', limit },
    handle: async ({ ports, principal, body, header }) => {
      // Decoders are loaded by the first export.
      const { receiveTraces } = await import('#service/traces/receive-traces.ts');
      const content_type = header('content-type');
      await receiveTraces(ports, principal, {
        bytes: body,
        content_type,
        content_encoding: header('content-encoding'),
      });
      return accepted(content_type);
    },
  }),
  ...(['logs', 'metrics'] as const).map((kind) =>
    jsonRoute<Uint8Array>({
      method: 'POST',
      path: `/v1/${kind}`,
      summary: `Accepts OTLP ${kind} and drops them`,
      any_of: ['bifrost_record:write'],
      success: { status: 200, content_type: protobuf },
      body: { kind: 'bytes', limit },
      handle: async ({ header }) => accepted(header('content-type')),
    }),
  ),
];
