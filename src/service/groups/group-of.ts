import { isJsonObject } from '#contract/cards/shared.ts';
import { parseDuration } from '#contract/cards/trigger.ts';
import type { Json } from '#contract/json.ts';
import type { StoredBinding } from '../ports/registry.ts';

/** The `group_end` that was frozen with a binding (docs/spec/background.md §5.2). */
export interface GroupEnd {
  /** Milliseconds from the last evidence until the group is judged. */
  readonly after_ms: number;
  readonly sources: ReadonlyMap<string, GroupSource>;
  /** `recorded_at`, or a reference to a source slot; absent: `recorded_at`. */
  readonly order_by?: string;
}

export interface GroupSource {
  readonly reference: string;
  readonly subject_occurrence_key: string;
  readonly card_uid: string;
  readonly verifier_card_uid: string;
}

/** Null: the binding judges no groups. */
export function groupEndOf({ frozen }: Pick<StoredBinding, 'frozen'>): GroupEnd | null {
  const group = frozen.group_end ?? null;
  if (!isJsonObject(group)) return null;
  const sources = isJsonObject(group.sources ?? null) ? Object.entries(group.sources as Record<string, Json>) : [];
  return {
    after_ms: (parseDuration(String(group.after)) ?? 0) * 1_000,
    sources: new Map(sources.flatMap(([slot, source]) => (isSource(source) ? [[slot, source]] : []))),
    ...(typeof group.order_by === 'string' ? { order_by: group.order_by } : {}),
  };
}

function isSource(value: Json): value is Json & GroupSource {
  return (
    isJsonObject(value) &&
    ['reference', 'subject_occurrence_key', 'card_uid', 'verifier_card_uid'].every(
      (name) => typeof value[name] === 'string',
    )
  );
}
