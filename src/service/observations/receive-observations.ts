import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { isJsonObject } from '#contract/cards/shared.ts';
import { Problem } from '#contract/errors.ts';
import {
  type ObservationBatchRequest,
  type ObservationsAccepted,
  observationRecordSchema,
} from '#contract/requests/observations.ts';
import { canonical } from '#engine/values/canonical.ts';
import type { Principal } from '../auth/principal.ts';
import type { FeatureValue, Observation, Observations } from '../ports/observations.ts';
import type { Registry } from '../ports/registry.ts';
import type { Clock } from '../ports.ts';
import { toRfc3339 } from '../time.ts';

export interface ObservationPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly observations: Observations;
}

/**
 * Stores a batch, whole or not at all (docs/spec/wire.md §9.5); durable when it resolves. The batch id is the deduplication: the
 * same batch again has the answer of the first time. Throws a `Problem` that lists every bad record by its place.
 */
export async function receiveObservations(
  ports: ObservationPorts,
  { tenant }: Principal,
  { batch_id, records }: ObservationBatchRequest,
): Promise<ObservationsAccepted> {
  const parsed = records.map((record) => withSafeNames(record).safeParse(record));
  const subjects = new Set(parsed.flatMap(({ data }) => data?.subject_card_uid ?? []));
  const known = await knownCards(ports.registry, tenant, subjects);
  const bad = parsed.flatMap(({ data, error }, index) => {
    if (error !== undefined) return [{ index, reason: reasonOf(error) }];
    return known.has(data.subject_card_uid) ? [] : [{ index, reason: 'subject_card_uid: no such Card' }];
  });
  if (bad.length > 0) {
    const detail = `${bad.length} of ${records.length} records cannot be taken, so none was`;
    throw new Problem('WYRD_SPEC_400_VALIDATION', detail, { records: bad });
  }
  const observations = parsed.flatMap(({ data }) => (data === undefined ? [] : [toObservation(data)]));
  const sha256 = createHash('sha256')
    .update(canonical(JSON.parse(JSON.stringify(records))))
    .digest('hex');
  const at = await ports.observations.append(tenant, { batch_id, sha256, observations }, ports.clock.now());
  if (at === null) {
    throw new Problem('WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT', 'the batch id was used with other records');
  }
  return { batch_id, accepted: records.length, ingested_at: toRfc3339(at) };
}

/** The schema leaves out a member of this name without a word, and what is acknowledged must be kept. */
function withSafeNames(record: unknown): typeof observationRecordSchema {
  const features = isJsonObject(record) ? record.features : undefined;
  if (!isJsonObject(features) || !Object.hasOwn(features, '__proto__')) return observationRecordSchema;
  return observationRecordSchema.refine(() => false, {
    path: ['features'],
    error: '__proto__ is no name of a feature',
  });
}

async function knownCards(registry: Registry, tenant: string, uids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const uid of uids) if ((await registry.byUid(tenant, uid)) !== null) known.add(uid);
  return known;
}

/** Every fault of one record in a line. */
function reasonOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 8)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.').slice(0, 300)}: ${message}`))
    .join('; ');
}

function toObservation(record: z.infer<typeof observationRecordSchema>): Observation {
  const features = Object.entries(record.features).map(([name, value]): [string, FeatureValue] => [
    name,
    typeof value === 'boolean' ? String(value) : value,
  ]);
  return {
    record_id: record.record_id,
    subject_card_uid: record.subject_card_uid,
    run_id: record.run_id ?? null,
    created_at: inUtc(record.created_at),
    features: new Map(features),
  };
}

/** Keeps the digits that a `Date` would drop. */
function inUtc(instant: string): string {
  const fraction = /\.\d+/.exec(instant)?.[0].slice(0, 10) ?? '';
  const whole = instant.replace(/\.\d+/, '');
  return `${new Date(whole).toISOString().slice(0, 19)}${fraction}Z`;
}
