import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import type { DriftSpec } from '#contract/cards/drift.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { compiledVerifier } from '#service/cards/compiled-verifiers.ts';
import { fitTable } from '#service/drift/fit-table.ts';
import { baselinesOfVerifier } from '#service/drift/readiness.ts';
import { drive } from '#service/drive/drive.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import type { Baselines } from '#service/ports/baselines.ts';
import type { ObservationBatch } from '#service/ports/observations.ts';
import { backgroundWorld, type OpenStores, type Stores } from './background-world.ts';
import { declareWindow } from './declare-window.ts';
import { type DriftCase, driftCases, type GivenObservation, parquetOf } from './drift-case.ts';
import { expectClose } from './expect-close.ts';
import { noEffects } from './no-effects.ts';

const tenant = 'main';
const cases = driftCases().filter(({ given }) => given.window !== undefined || given.target?.latency_ms !== undefined);

/** The cases of drift.yaml that have a window: samples kept by the stores of one host, judged by the driver. */
export function windowConformance(name: string, open: OpenStores): void {
  describe(`conformance of windows: ${name}`, () => {
    it('the cases are there', () => expect(cases.length).toBeGreaterThanOrEqual(9));

    it.each(cases.map((one) => [one.id, one.title, one] as const))('%s: %s', async (_id, _title, one) => {
      const [start, end] = one.given.window ?? defaultWindow;
      const time = { now: Date.parse(end) };
      await using opened = await open({ now: () => time.now, sleep: async () => {} });
      const { stores } = opened;
      const ports = backgroundWorld(time.now, stores, time).ports();
      const checks = one.given.checks ?? { r: one.given.check ?? {} };
      const { verifier_uid, subject_uid } = await declareWindow(ports, checks);
      if (one.given.baseline) await fitAll(ports, verifier_uid, one.given.baseline, time.now);
      for (const [index, observation] of observationsOf(one, start).entries()) {
        const at = Date.parse(observation.ingested_at);
        await stores.observations.append(tenant, batchOf(observation, subject_uid, index), at);
      }
      const compiled = await compiledVerifier(ports, tenant, { verifier_uid, subject_uid });
      const driven = await drive(effectsOf(stores), {
        tenant,
        subject_uid,
        verifier_uid,
        verifier: compiled.verifier,
        run: { started_at: end, inputs: {}, not_stored: [], window: { start, end }, route_overrides: {} },
        deadline: Date.now() + 60_000,
      });
      if (driven.kind !== 'finished') throw new Error(driven.kind);
      await expectOutcome(one, driven.outcome);
      if (one.expect.selected)
        expect(await selected(stores, subject_uid, one, [start, end])).toEqual(one.expect.selected);
    });
  });
}

const defaultWindow = ['2026-03-01T00:05:00Z', '2026-03-01T00:10:00Z'] as const;

/** Cases that give columns have a row an observation, all in the window. */
function observationsOf({ given }: DriftCase, start: string): readonly GivenObservation[] {
  if (given.observations) return [...given.observations].sort((a, b) => a.ingested_at.localeCompare(b.ingested_at));
  const column = given.target?.latency_ms;
  const values = Array.isArray(column) ? (column as (number | null)[]) : [];
  return values.map((value, index) => ({
    record_id: `r${index}`,
    ingested_at: start,
    created_at: start,
    features: { latency_ms: value },
  }));
}

function batchOf(observation: GivenObservation, subject: string, index: number): ObservationBatch {
  const { record_id, created_at, features } = observation;
  const one = {
    record_id,
    created_at,
    subject_card_uid: subject,
    run_id: null,
    features: new Map(Object.entries(features)),
  };
  return { batch_id: v7(), sha256: String(index), observations: [one] };
}

/** Fits the baselines of a Verifier from a real Parquet file of these columns. */
export async function fitAll(
  ports: Parameters<typeof baselinesOfVerifier>[0] & { readonly baselines: Baselines } & Stores,
  verifierUid: string,
  columns: Readonly<Record<string, Json>>,
  now: number,
): Promise<void> {
  const card = await ports.registry.byUid(tenant, verifierUid);
  const requirements = (card?.spec.requirements ?? []) as unknown as readonly { id: string; check: JsonObject }[];
  for (const { place } of await baselinesOfVerifier(ports, tenant, verifierUid)) {
    const check = requirements.find(({ id }) => id === place.requirement)?.check;
    await using table = await parquetFiles.open(parquetOf(columns));
    if (table === null) throw new Error('no Parquet file');
    await ports.baselines.retry(tenant, place, now);
    const lease = v7();
    expect(await ports.baselines.begin(tenant, place, { lease, now: now + 1, until: now + 60_000 })).toBe(true);
    const fit = await fitTable(check as unknown as Exclude<DriftSpec, { method: 'Custom' }>, table);
    expect(await ports.baselines.end(tenant, place, lease, { status: 'ready', fit })).toBe(true);
  }
}

function effectsOf(stores: Stores): DrivePorts {
  return {
    clock: systemClock,
    log: { info() {}, warn() {}, error() {} },
    evidence: stores.evidence,
    ...noEffects,
    samples: stores,
  };
}

async function selected(stores: Stores, subject: string, one: DriftCase, [from, to]: readonly [string, string]) {
  const ids: string[] = [];
  const features = Object.keys(one.given.observations?.[0]?.features ?? {});
  const look = { subject_card_uid: subject, from: Date.parse(from), to: Date.parse(to), features };
  for await (const { record_id } of stores.observations.window(tenant, look)) ids.push(record_id);
  return ids;
}

interface Judged {
  readonly verdict: string;
  readonly requirements: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly detail?: { readonly drift: JsonObject };
  }[];
}

async function expectOutcome({ expect: expected }: DriftCase, outcome: unknown): Promise<void> {
  const { verdict, requirements } = outcome as Judged;
  if (expected.verdict) expect(verdict).toBe(expected.verdict);
  if (expected.requirements) {
    expect(Object.fromEntries(requirements.map(({ id, outcome: one }) => [id, one]))).toEqual(expected.requirements);
  }
  if (expected.outcome) expect(requirements[0]?.outcome).toBe(expected.outcome);
  if (expected.report) expectClose(requirements[0]?.detail?.drift, expected.report, 'report');
}
