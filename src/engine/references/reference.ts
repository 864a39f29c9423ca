/**
 * A parsed reference (docs/spec/verification.md §6). `text` is its canonical form: indexes without leading zeros.
 */
export type Reference =
  | { readonly root: 'input'; readonly text: string; readonly slot: string; readonly selector: Selector }
  | { readonly root: 'output'; readonly text: string; readonly step: string; readonly selector: Selector }
  | { readonly root: 'status'; readonly text: string; readonly step: string }
  | {
      readonly root: 'verdict';
      readonly text: string;
      readonly step: string;
      readonly requirement: string;
      readonly field: 'outcome' | 'reason';
    }
  | { readonly root: 'current'; readonly text: string; readonly field: 'id' | 'statement' };

/** Field name, list index, or `{ wildcard: true }` for `[*]`. */
export type Selector = readonly (string | number | Wildcard)[];

export interface Wildcard {
  readonly wildcard: true;
}
