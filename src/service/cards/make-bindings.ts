import { createHash } from 'node:crypto';
import { isJsonObject } from '#contract/cards/shared.ts';
import { ownerOccurrence } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { canonical } from '#engine/values/canonical.ts';
import type { StoredBinding, StoredCard } from '../ports/registry.ts';
import type { Ids } from '../ports.ts';

/** Looks up a Card of the declaration, or one that it names. */
type FindCard = (uid: string) => { readonly name: string; readonly spec: Json } | undefined;

/**
 * The bindings that a new Service or Agent version declares, in declared order: its components' first, then its own.
 * A version that exists keeps the ones it has, so their ids never change (docs/spec/background.md §3.2, §3.3).
 */
export function makeBindings(owner: StoredCard, ids: Ids, findCard: FindCard): readonly StoredBinding[] {
  if (owner.kind !== 'Service' && owner.kind !== 'Agent') return [];
  return occurrencesOf(owner).flatMap((occurrence) =>
    occurrence.entries.map((entry) => ({
      binding_id: ids.next(),
      owner_uid: owner.uid,
      occurrence: occurrence.occurrence,
      subject_uid: occurrence.subject_uid,
      verifier_uid: verifierOf(entry),
      frozen: { ...freeze(entry), ...freezeTrigger(entry, occurrence, findCard) },
      created_at: owner.created_at,
    })),
  );
}

interface Occurrence {
  readonly occurrence: string;
  readonly subject_uid: string;
  readonly entries: readonly JsonObject[];
}

function occurrencesOf(owner: StoredCard): readonly Occurrence[] {
  const components = objects(owner.spec.components).map((component) => ({
    occurrence: String(component.alias),
    subject_uid: uidOf(component.ref ?? null) ?? '',
    entries: objects(component.verified_by),
  }));
  const own = { occurrence: ownerOccurrence, subject_uid: owner.uid, entries: objects(owner.spec.verified_by) };
  return [...components, own];
}

/** Trigger and Operators as they are now: later versions of their Cards change nothing here. */
function freeze(entry: JsonObject): JsonObject {
  const runsOn = entry.runs_on;
  return {
    ...(runsOn === undefined ? {} : { runs_on: freezeTarget(runsOn) }),
    ...freezeList('on_failure', entry),
    ...freezeList('on_verdict_change', entry),
  };
}

function freezeList(name: string, entry: JsonObject): JsonObject {
  const list = entry[name];
  return Array.isArray(list) ? { [name]: list.map((target: Json) => freezeTarget(target)) } : {};
}

/**
 * Of a schedule: its fields and zone. Of a group: when it is judged and, per source slot, the exact Verifier of the same subject occurrence that feeds it
 * (docs/spec/background.md §5.2). The declaration was checked: each source has one match.
 */
function freezeTrigger(entry: JsonObject, occurrence: Occurrence, findCard: FindCard): JsonObject {
  const runsOn = entry.runs_on ?? null;
  const trigger = uidOf(runsOn) === undefined ? runsOn : (findCard(uidOf(runsOn) ?? '')?.spec ?? null);
  if (!isJsonObject(trigger)) return {};
  if (trigger.kind === 'group_end') return freezeGroup(trigger, entry, occurrence, findCard);
  return { schedule: { cron: trigger.cron ?? null, ...(trigger.tz === undefined ? {} : { tz: trigger.tz }) } };
}

function freezeGroup(trigger: JsonObject, entry: JsonObject, occurrence: Occurrence, findCard: FindCard): JsonObject {
  const spec = findCard(verifierOf(entry))?.spec ?? null;
  const slots =
    isJsonObject(spec) && isJsonObject(spec.inputs ?? null) ? Object.entries(spec.inputs as JsonObject) : [];
  const orderBy = isJsonObject(spec) ? spec.order_by : undefined;
  const sources = slots.flatMap(([slot, reference]): [string, Json][] => {
    const name = typeof reference === 'string' ? reference.split('.')[1] : undefined;
    const source = occurrence.entries.map(verifierOf).find((uid) => findCard(uid)?.name === name);
    if (name === undefined || source === undefined) return [];
    const tuple = { subject_occurrence_key: occurrence.occurrence, card_uid: occurrence.subject_uid };
    return [[slot, { reference, ...tuple, verifier_card_uid: source }]];
  });
  return {
    group_end: {
      after: trigger.after ?? null,
      sources: Object.fromEntries(sources),
      ...(orderBy === undefined ? {} : { order_by: orderBy }),
    },
  };
}

function verifierOf(entry: JsonObject): string {
  return uidOf(entry.verifier ?? null) ?? '';
}

/** `{uid}` of a Card, or `{digest, body}` of an inline one; the digest is the SHA-256 of its RFC 8785 bytes. */
function freezeTarget(target: Json): JsonObject {
  const uid = uidOf(target);
  if (uid !== undefined) return { uid };
  return { digest: createHash('sha256').update(canonical(target)).digest('hex'), body: target };
}

function uidOf(target: Json): string | undefined {
  const uid = isJsonObject(target) ? target.uid : undefined;
  return typeof uid === 'string' ? uid : undefined;
}

function objects(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
