import type { JsonObject } from '#contract/json.ts';
import type { RecordReport } from '#contract/record.ts';
import type { VerifyRecordRequest } from '#contract/requests/records.ts';
import { checkRecord } from '#engine/record/check-record.ts';
import type { Signer } from '../ports/signer.ts';
import type { Clock } from '../ports.ts';

/** The thread is everybody's: a replay that takes longer is for the offline check. */
const replayMs = 1_000;

/** Checks a record against what was sent with it; reads and stores nothing of the tenant's (docs/spec/records.md §4). */
export async function verifyRecord(
  ports: { readonly clock: Clock; readonly signer: Pick<Signer, 'rootKeys'> },
  request: VerifyRecordRequest,
): Promise<RecordReport> {
  const keys = request.keys ?? (await ports.signer.rootKeys());
  const end = ports.clock.now() + replayMs;
  return checkRecord({
    record: toText(request.record),
    keys,
    result: optionalText(request.result),
    checkpoint: optionalText(request.checkpoint),
    cards: request.cards?.map(toText),
    evidence: request.evidence?.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') })),
    isCut: () => ports.clock.now() >= end,
  });
}

function optionalText(document: string | JsonObject | undefined): string | undefined {
  return document === undefined ? undefined : toText(document);
}

function toText(document: string | JsonObject): string {
  return typeof document === 'string' ? document : JSON.stringify(document);
}
