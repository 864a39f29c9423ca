import type { PendingRecord, Records } from '../ports/records.ts';
import type { Clock } from '../ports.ts';
import { type RecordPorts, signRecord } from './make-record.ts';

export interface SignPendingPorts extends RecordPorts {
  readonly clock: Clock;
  readonly records: Records;
}

/** Records of one sweep; the rest are the next one's. */
const limit = 200;
/** A record that waits longer needs a person (docs/spec/records.md §1). */
const patienceMs = 300_000;

/**
 * Signs what could not be signed when it was stored. Stops at the first refusal, which the rest would meet too. Answers
 * how many have waited longer than five minutes.
 */
export async function signPending(ports: SignPendingPorts): Promise<number> {
  const waiting = await ports.records.pending(limit);
  let signed = 0;
  try {
    for (const pending of waiting) {
      await signOne(ports, pending);
      signed += 1;
    }
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    ports.log.error('records wait for their signature', { waiting: waiting.length - signed, error: name });
  }
  const late = ports.clock.now() - patienceMs;
  return waiting.slice(signed).filter(({ ended_at }) => Date.parse(ended_at) < late).length;
}

async function signOne(ports: SignPendingPorts, { tenant, execution_id, ended_at, record }: PendingRecord) {
  const payload = Buffer.from(record.text, 'utf8');
  await ports.records.sign(tenant, execution_id, await signRecord(ports.signer, payload, record.sha256, ended_at));
}
