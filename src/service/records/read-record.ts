import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { Inclusion } from '#contract/record.ts';
import type { Principal } from '../auth/principal.ts';
import type { Checkpoints } from '../ports/checkpoints.ts';
import type { Records } from '../ports/records.ts';
import type { Signer } from '../ports/signer.ts';
import type { Log } from '../ports.ts';
import { inclusionPath } from './prove.ts';
import { statementIn } from './show-record.ts';

export interface ReadRecordPorts {
  readonly log: Log;
  readonly records: Records;
  readonly checkpoints: Checkpoints;
  readonly signer: Signer;
}

/**
 * `GET /v1/records/{execution_id}` as JSON text (docs/spec/records.md §2). 404 while the record is pending too: nobody is
 * shown a record without a signature. `inclusion` is there once a checkpoint holds it, and then stays the same.
 */
export async function readRecord(ports: ReadRecordPorts, principal: Principal, executionId: string): Promise<string> {
  const { tenant } = principal;
  const record = isUuidV7(executionId) ? await ports.records.find(tenant, executionId) : null;
  if (record === null || !isVisible(principal, record.text, record.state)) {
    throw new Problem('TOUCHSTONE_404_RECORD_NOT_FOUND', 'no record of such an execution');
  }
  if (record.state === 'pending') {
    throw new Problem('TOUCHSTONE_404_RECORD_NOT_FOUND', 'the record waits for its signature');
  }
  const [inclusion, keys] = await Promise.all([inclusionOf(ports.checkpoints, tenant, executionId), keysOf(ports)]);
  const rest = { ...(inclusion !== null && { inclusion }), ...(keys !== null && { keys }) };
  // The stored text is put in as it is: its signature is over the bytes that it holds.
  const more = JSON.stringify(rest).slice(1, -1);
  return `{"record":${record.text}${more === '' ? '' : ','}${more}}`;
}

/** A key for some Verifiers only sees their executions alone (docs/spec/wire.md §2.4). */
function isVisible({ verifier_uids }: Principal, text: string, state: 'signed' | 'pending'): boolean {
  if (verifier_uids === null) return true;
  return verifier_uids.includes(statementIn({ state, text }).predicate.verifier.uid ?? '');
}

async function inclusionOf(checkpoints: Checkpoints, tenant: string, id: string): Promise<Inclusion | null> {
  const index = await checkpoints.indexOf(tenant, id);
  const checkpoint = index === null ? null : await checkpoints.firstOver(tenant, index);
  if (index === null || checkpoint === null) return null;
  const path = [...(await inclusionPath(checkpoints, tenant, index, checkpoint))];
  return { index, size: checkpoint.size, path, checkpoint: checkpoint.envelope };
}

/** A courtesy: without the key service the record is answered without it. */
async function keysOf({ signer, log }: ReadRecordPorts) {
  try {
    return await signer.rootKeys();
  } catch (error) {
    log.warn('record answered without keys', { error: error instanceof Error ? error.name : 'unknown' });
    return null;
  }
}
