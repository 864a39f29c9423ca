import { slotPattern } from '#contract/ids.ts';
import { UsageError } from '../usage-error.ts';

/** One `--slot`: a value typed in place, or the file that holds it. */
export type SlotArgument =
  | { readonly slot: string; readonly kind: 'value'; readonly text: string }
  | { readonly slot: string; readonly kind: 'file'; readonly path: string };

/** Reads `name=value` and `name=@file`. `name=@@text` is a value that begins with `@`. */
export function parseSlots(texts: readonly string[]): readonly SlotArgument[] {
  const seen = new Set<string>();
  return texts.map((text) => {
    const split = text.indexOf('=');
    const slot = split === -1 ? text : text.slice(0, split);
    if (split === -1 || !slotPattern.test(slot)) throw new UsageError(`--slot ${text}: write name=value or name=@file`);
    if (seen.has(slot)) throw new UsageError(`--slot ${slot} is given twice`);
    seen.add(slot);
    const value = text.slice(split + 1);
    if (value.startsWith('@@')) return { slot, kind: 'value', text: value.slice(1) };
    if (value.startsWith('@')) return { slot, kind: 'file', path: value.slice(1) };
    return { slot, kind: 'value', text: value };
  });
}
