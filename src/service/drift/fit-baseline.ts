import { createHash } from 'node:crypto';
import type { DriftSpec } from '#contract/cards/drift.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import { type CompilePorts, compiledVerifier } from '../cards/compiled-verifiers.ts';
import { findReferenced } from '../cards/find-referenced.ts';
import { type BaselinePlace, type Baselines, type FitEnd, fittingMs } from '../ports/baselines.ts';
import type { Parquet, RangedFile } from '../ports/parquet.ts';
import type { StoredCard } from '../ports/registry.ts';
import type { Clock, Evidence, Ids, Log } from '../ports.ts';
import { fitTable, UnfitBaseline } from './fit-table.ts';

export interface FitPorts extends CompilePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly evidence: Evidence;
  readonly baselines: Baselines;
  readonly parquet: Parquet;
}

/** A baseline whose file is not there yet is looked at again after this long, in milliseconds. */
const waitMs = 60_000;

/**
 * Fits one baseline, once (docs/spec/background.md §6.5). Does nothing when it is not due, or another process fits it. A
 * store that fails, and a host that stops, leave it `building`, to be taken over.
 */
export async function fitBaseline(ports: FitPorts, tenant: string, place: BaselinePlace): Promise<void> {
  const state = await ports.baselines.find(tenant, place);
  if (state?.status !== 'pending' && state?.status !== 'building') return;
  const spec = await specOf(ports, tenant, place);
  const data = spec && (await findReferenced(ports.registry, tenant, spec.signal.baseline_ref));
  const lease = ports.ids.next();
  const now = ports.clock.now();
  const isWaiting = data?.status === 'pending';
  const until = now + (isWaiting ? waitMs : fittingMs);
  if (!(await ports.baselines.begin(tenant, place, { lease, now, until })) || isWaiting) return;
  const ended = await endOf(ports, tenant, spec, data);
  if (ended.status === 'failed') {
    ports.log.warn('baseline not fitted', { verifier_uid: place.verifier_uid, reason: ended.reason });
  }
  await ports.baselines.end(tenant, place, lease, ended);
}

type Fitted = Extract<DriftSpec, { method: 'Psi' | 'Spc' }>;

/** Null: the Verifier has no such check any more. */
async function specOf(ports: FitPorts, tenant: string, place: BaselinePlace): Promise<Fitted | null> {
  const { verifier_uid } = place;
  // A Verifier compiles without a subject: its own Card stands in for one.
  const { verifier } = await compiledVerifier(ports, tenant, { verifier_uid, subject_uid: verifier_uid });
  const check = verifier.requirements.find(({ id }) => id === place.requirement)?.check;
  return check?.kind === 'drift' && check.spec.method !== 'Custom' ? check.spec : null;
}

async function endOf(ports: FitPorts, tenant: string, spec: Fitted | null, data: StoredCard | null): Promise<FitEnd> {
  try {
    if (spec === null) throw new UnfitBaseline('the Verifier has no such check');
    const file = await fileOf(ports, tenant, data);
    await using table = await ports.parquet.open(file);
    if (table === null) throw new UnfitBaseline('the file of the Data Card is no Parquet file of 2 GiB at most');
    return { status: 'ready', fit: await fitTable(spec, table) };
  } catch (error) {
    if (error instanceof UnfitBaseline) return { status: 'failed', reason: error.message };
    // A store that fails and a host that stops say nothing about the file.
    if (error instanceof Error && (error.name === 'StoreFailure' || error.name === 'AbortError')) throw error;
    // Whatever the file makes its reader do.
    return { status: 'failed', reason: 'the Parquet file cannot be read' };
  }
}

const interfaces = new Set(['Parquet', 'Pandas', 'Polars', 'Arrow']);

/** The one file of a Data Card, its digest checked before any of it is believed. */
async function fileOf({ evidence }: FitPorts, tenant: string, data: StoredCard | null): Promise<RangedFile> {
  if (data?.status !== 'active' && data?.status !== 'deprecated') throw new UnfitBaseline('the Data Card is not there');
  const kind = isJsonObject(data.spec.interface ?? null) ? (data.spec.interface as { kind?: unknown }).kind : undefined;
  if (typeof kind === 'string' && !interfaces.has(kind)) throw new UnfitBaseline(`a Data Card of interface ${kind}`);
  const [entry, ...others] = data.manifest;
  if (entry === undefined || others.length > 0) throw new UnfitBaseline('the Data Card does not hold one file');
  const sha256 = Buffer.from(entry.sha256, 'base64').toString('hex');
  const { size_bytes } = entry;
  const read = async (from: number, to: number) => {
    const bytes = await evidence.readPart(tenant, sha256, from, to);
    if (bytes === null || bytes.byteLength !== to - from)
      throw new UnfitBaseline('the file of the Data Card is not held');
    return bytes;
  };
  const hash = createHash('sha256');
  for (let from = 0; from < size_bytes; from += partBytes)
    hash.update(await read(from, Math.min(from + partBytes, size_bytes)));
  if (hash.digest('hex') !== sha256)
    throw new UnfitBaseline('the file of the Data Card is not the one that was declared');
  return { size_bytes, read };
}

const partBytes = 8 * 1_048_576;
