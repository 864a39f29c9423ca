import { checkpointSchema } from '#contract/record.ts';
import type { Checkpoints, LoggedCheckpoint } from '../ports/checkpoints.ts';
import type { Clock, Log } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { growTree } from './grow-tree.ts';
import { rootOfSize } from './prove.ts';
import { leafHashOf, tileKey } from './tile-tree.ts';

export interface AuditPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly checkpoints: Checkpoints;
}

/** A record that ended this long ago and is in no checkpoint was forgotten. */
const forgottenMs = 3 * 3_600_000;
const dayMs = 24 * 3_600_000;
/** Leaves compared at once; a longer log is gone through in as many nights, its newest part in each. */
const windowSize = 131_072;
const page = 4_096;

/**
 * Compares the store's records with the trees (docs/spec/records.md §2): every leaf has its record with the same digest,
 * the tree gives the root that was signed, and no record is left out. Every difference is a log line; answers how many
 * tenants have one.
 */
export async function auditLogs(ports: AuditPorts): Promise<number> {
  let differing = 0;
  for (const tenant of await ports.checkpoints.tenants()) {
    const differences = await auditLog(ports, tenant);
    if (differences.length === 0) continue;
    differing += 1;
    ports.log.error('records and their log differ', { tenant, differences });
  }
  return differing;
}

async function auditLog(ports: AuditPorts, tenant: string): Promise<readonly string[]> {
  const { checkpoints, clock } = ports;
  const forgotten = await checkpoints.open(tenant, {
    ended_by: toRfc3339(clock.now() - forgottenMs),
    limit: 1,
    thorough: true,
  });
  const differences = forgotten.map(({ execution_id }) => `the record of ${execution_id} is in no checkpoint`);
  const last = await checkpoints.last(tenant);
  if (last === null || last.size === 0) return differences;
  try {
    if ((await rootOfSize(checkpoints, tenant, last.size)) !== signedRoot(last)) {
      differences.push(`the tree does not give the root that was signed at ${last.size}`);
    }
    for (const from of windowsOf(last.size, clock.now())) {
      differences.push(...(await compareWindow(ports, tenant, from, Math.min(last.size, from + windowSize))));
    }
  } catch (error) {
    differences.push(error instanceof Error ? error.message : 'the tree cannot be read');
  }
  return differences;
}

/** Where the windows of this night begin: the newest, and one of the others in turn. */
function windowsOf(size: number, now: number): ReadonlySet<number> {
  const count = Math.ceil(size / windowSize);
  return new Set([(count - 1) * windowSize, (Math.floor(now / dayMs) % count) * windowSize]);
}

async function compareWindow(ports: AuditPorts, tenant: string, from: number, to: number): Promise<readonly string[]> {
  const { checkpoints } = ports;
  const leaves = await storedLeaves(checkpoints, tenant, from, to);
  const missing = leaves.indexOf(null);
  if (missing >= 0) return [`leaf ${from + missing} has no record`];
  const hashes = leaves.flatMap((sha256) => (sha256 === null ? [] : [leafHashOf(sha256)]));
  const { tiles } = await growTree(ports, tenant, from, hashes);
  const stored = new Map((await checkpoints.tiles(tenant, tiles)).map((tile) => [tileKey(tile), tile.hashes]));
  const differing = tiles.find((tile) => {
    const held = stored.get(tileKey(tile)) ?? new Uint8Array();
    return Buffer.compare(held.subarray(0, tile.hashes.length), tile.hashes) !== 0;
  });
  return differing === undefined ? [] : [`records do not give tile ${tileKey(differing)} of the tree`];
}

/** Digests of the records at `from` … `to` − 1; null where there is none. */
async function storedLeaves(
  checkpoints: Checkpoints,
  tenant: string,
  from: number,
  to: number,
): Promise<readonly (string | null)[]> {
  const found = new Array<string | null>(to - from).fill(null);
  for (let next: number | null = from; next !== null && next < to; ) {
    const compared = await checkpoints.compare(tenant, { from: next, limit: page });
    for (const { index, sha256 } of compared.leaves) if (index < to) found[index - from] = sha256;
    next = compared.next;
  }
  return found;
}

function signedRoot({ envelope }: LoggedCheckpoint): string {
  return checkpointSchema.parse(JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'))).root;
}
