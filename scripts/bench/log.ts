import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { openStore, type Store } from '#local/open-store.ts';
import type { Execution } from '#service/ports/executions.ts';
import { closeOnDemand } from '#service/records/close-checkpoint.ts';
import { readRecord } from '#service/records/read-record.ts';
import { toRfc3339 } from '#service/time.ts';

export interface LogFigures {
  /** Milliseconds. */
  readonly checkpoint: number;
  readonly longestTurn: number;
  readonly proof: { readonly p50: number; readonly p99: number };
}

const tenant = 'local';
const proofs = 2_000;

/** A checkpoint over so many records of the embedded store, and records read with their proofs in it. */
export async function benchLog(folder: string, records: number): Promise<LogFigures> {
  const store = await openStore(folder);
  try {
    const ids = await fill(store, records);
    const log = { info() {}, warn() {}, error() {} };
    const turns = watchTurns();
    const from = performance.now();
    await closeOnDemand(store, tenant);
    const checkpoint = performance.now() - from;
    const longestTurn = turns.longest();
    const principal = { tenant, id: 'p', permissions: new Set<never>(), verifier_uids: null, card_uid: null };
    const times: number[] = [];
    for (let made = 0; made < proofs; made += 1) {
      const id = ids[Math.floor((made * ids.length) / proofs)] ?? '';
      const started = performance.now();
      await readRecord({ ...store, log }, principal, id);
      times.push(performance.now() - started);
    }
    times.sort((left, right) => left - right);
    const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
    return { checkpoint, longestTurn, proof: { p50: at(0.5), p99: at(0.99) } };
  } finally {
    await store.close();
  }
}

async function fill(store: Store, records: number): Promise<readonly string[]> {
  const ids: string[] = [];
  const ended = toRfc3339(store.clock.now());
  for (let made = 0; made < records; made += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, records - made) }, () => settled(ended));
    await Promise.all(batch.map((execution) => store.executions.storeSettled(tenant, execution)));
    ids.push(...batch.map(({ execution_id }) => execution_id));
  }
  return ids;
}

/** A record of the usual size; what it says is nobody's here. */
function settled(ended_at: string): Execution {
  const execution_id = v7();
  const payload = JSON.stringify({ execution_id, filling: 'x'.repeat(1_800) });
  const envelope = { payloadType: 't', payload: Buffer.from(payload).toString('base64'), signatures: [] };
  const card = (kind: 'Verifier' | 'Agent') => ({ kind, name: 'bench', version: '1.0.0', uid: execution_id });
  return {
    execution_id,
    status: 'completed',
    verdict: 'passed',
    origin: 'execute',
    verifier: card('Verifier'),
    subject: card('Agent'),
    binding_id: null,
    owner_card_uid: null,
    group_id: null,
    run_id: null,
    principal: 'p',
    error: null,
    created_at: ended_at,
    ended_at,
    request: { inputs: {}, not_stored: [], route_overrides: {}, deployment_environment: null },
    result: '{}',
    record: {
      state: 'signed',
      sha256: createHash('sha256').update(payload).digest('hex'),
      text: JSON.stringify({ envelope }),
    },
  };
}

/** How long other calls of the host wait at most. */
function watchTurns(): { longest(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  return {
    longest() {
      clearInterval(timer);
      return Math.max(longest, performance.now() - last);
    },
  };
}
