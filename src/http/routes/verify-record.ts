import { recordReportSchema, verifyRecordRequestSchema } from '#contract/requests/records.ts';
import { jsonRoute } from '../route.ts';

/** The offline check of docs/spec/records.md §4, for callers that cannot run it themselves. */
export const verifyRecordRoute = jsonRoute({
  method: 'POST',
  path: '/v1/records/verify',
  summary: 'Check a record and what is held beside it; stores nothing',
  any_of: ['audit:read'],
  success: { status: 200, schema: recordReportSchema },
  body: { kind: 'json', schema: verifyRecordRequestSchema, limit: 4 * 1_048_576, rules: 'card' },
  handle: async ({ ports, body }) => {
    const { verifyRecord } = await import('#service/records/verify-record.ts');
    return { json: await verifyRecord(ports, body) };
  },
});
