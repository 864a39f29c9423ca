import { isJsonObject } from '#contract/cards/shared.ts';
import type { Json } from '#contract/json.ts';
import type { Citation } from '#contract/result.ts';

/** The evidence behind a citation, a line each; empty when it is not at hand. */
export type CitedText = (citation: Citation) => readonly string[];

/** What this machine holds of one slot. */
export type HeldEvidence =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: Json };

const maxLines = 5;

/** Where a citation points, on one line: `letter:3-4`, `refund#/amount`. */
export function formatPlace({ slot, locator }: Citation): string {
  if ('page' in locator) return `${slot}:page ${locator.page}`;
  if ('slide' in locator) return `${slot}:slide ${locator.slide}`;
  if ('json_pointer' in locator) return `${slot}#${locator.json_pointer === '' ? '/' : locator.json_pointer}`;
  if ('region' in locator) return `${slot}:page ${locator.region.page}, region`;
  const { start, end } = locator.lines;
  return start === end ? `${slot}:${start}` : `${slot}:${start}-${end}`;
}

/** What was sent from here, by slot. */
export function heldEvidence(
  built: readonly { readonly slot: string; readonly held?: HeldEvidence }[],
): ReadonlyMap<string, HeldEvidence> {
  return new Map(built.flatMap(({ slot, held }) => (held ? [[slot, held] as const] : [])));
}

/** Shows the cited lines and values of the evidence that was sent from here. */
export function citedText(held: ReadonlyMap<string, HeldEvidence>): CitedText {
  return ({ slot, locator }) => {
    const evidence = held.get(slot);
    if (evidence?.kind === 'text' && 'lines' in locator) return linesOf(evidence.text, locator.lines);
    if (evidence?.kind === 'json' && 'json_pointer' in locator) {
      const value = resolvePointer(evidence.value, locator.json_pointer);
      return value === undefined ? [] : [JSON.stringify(value)];
    }
    return [];
  };
}

/** docs/spec/verification.md §5.3: a line ends at `\n` or `\r\n`. */
function linesOf(text: string, { start, end }: { readonly start: number; readonly end: number }): readonly string[] {
  const lines = text.split(/\r?\n/);
  const width = String(end).length;
  const shown = lines.slice(start - 1, Math.min(end, start - 1 + maxLines));
  return shown.map((line, index) => `${String(start + index).padStart(width)} │ ${line}`);
}

function resolvePointer(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,9})$/.test(name) ? value[Number(name)] : undefined;
    else value = value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
