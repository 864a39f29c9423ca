import type { Json } from '#contract/json.ts';

/** A parsed span selector: the dialect of docs/spec/verification.md §9.3, which is not RFC 9535. */
export interface SpanSelector {
  readonly path: Path;
  /** Ends with `.length()`. */
  readonly length: boolean;
}

export interface Path {
  /** `$` is the whole trace, `@` the value that a filter tests. */
  readonly root: '$' | '@';
  readonly segments: readonly Segment[];
}

export type Segment =
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly start: number | null; readonly end: number | null; readonly step: number }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descent'; readonly key: string }
  | { readonly kind: 'descent_all' }
  | { readonly kind: 'filter'; readonly test: Test };

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'literal'; readonly values: readonly [Json] };

export type Sign = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Test =
  | { readonly kind: 'or' | 'and'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'exists'; readonly path: Path }
  | { readonly kind: 'compare'; readonly sign: Sign; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'search'; readonly left: Operand; readonly pattern: string }
  | {
      readonly kind: 'in';
      readonly negated: boolean;
      readonly left: Operand;
      readonly right: Operand | { readonly kind: 'list'; readonly members: readonly Json[] };
    };

const maxBytes = 1024;

/** The shape a declaration demands (§9.3): whether the text also parses is found when it is run. */
export function checkSelectorShape(text: string): boolean {
  if (!text.startsWith('$') || text.length > maxBytes) return false;
  if (new TextEncoder().encode(text).length > maxBytes || /\p{Cc}/u.test(text)) return false;
  return isBalanced(text);
}

function isBalanced(text: string): boolean {
  // Texts first: what they hold does not count. A quote that is left has no partner.
  const outside = text.replace(/'[^']*'|"[^"]*"/g, '');
  if (/['"]/.test(outside)) return false;
  let depth = 0;
  for (const character of outside) {
    if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
