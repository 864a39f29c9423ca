import type { Json } from '#contract/json.ts';
import { isList, isObject } from '../values/kind.ts';
import { expandedSize } from '../values/pattern-size.ts';

/**
 * How much work it is to compile a pattern, estimated without compiling it: the number of Unicode-aware classes after
 * counted repetitions are written out. One of them (`\w`) costs about a third of a millisecond, and a Verifier may hold
 * hundreds of patterns of hundreds of them, so the sum has a limit [ours].
 */
const patternBudget = 4000;

/** Opening a pattern, whatever is in it. */
const baseCost = 0.5;

function patternCost(pattern: string): number {
  return baseCost + expandedSize(pattern, costOf);
}

function costOf(token: string): number {
  if (/^\\[pPwWbB]/.test(token)) return 1;
  if (/^\\[dDsS]/.test(token)) return 0.1;
  return 0.01 * token.length;
}

/** Every text of a schema that may be run as a pattern. The depth of a spec is bounded before. */
export function patternsIn(schema: Json): readonly string[] {
  if (isList(schema)) return schema.flatMap(patternsIn);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const own = name === 'pattern' && typeof value === 'string' ? [value] : [];
    const keys = name === 'patternProperties' && isObject(value) ? Object.keys(value) : [];
    return [...own, ...keys, ...patternsIn(value)];
  });
}

/** Counts the patterns of one Verifier, each once. */
export interface PatternLedger {
  left: number;
  readonly paid: Set<string>;
}

export function newPatternLedger(): PatternLedger {
  return { left: patternBudget, paid: new Set() };
}

/** Whether a pattern may still be compiled. */
export function pay(ledger: PatternLedger, pattern: string): boolean {
  if (ledger.paid.has(pattern)) return true;
  const cost = pattern.length > 4096 ? 0 : patternCost(pattern);
  if (cost > ledger.left) return false;
  ledger.left -= cost;
  ledger.paid.add(pattern);
  return true;
}
