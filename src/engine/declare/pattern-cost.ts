import type { Json } from '#contract/json.ts';
import { isList, isObject } from '../values/kind.ts';

/**
 * How much work it is to compile a pattern, estimated without compiling it: the number of Unicode-aware classes after
 * counted repetitions are written out. One of them (`\w`) costs about a third of a millisecond, and a Verifier may hold
 * hundreds of patterns of hundreds of them, so the sum has a limit [ours].
 */
const patternBudget = 4000;

/** Opening a pattern, whatever is in it. */
const baseCost = 0.5;
const maxCost = 1e9;

const tokens = /\\[pP](?:\{[^}]*\}|.)|\\[wWbB]|\\[dDsS]|\\.|\{(\d+)?(,)?(\d+)?\}|[()[\].]|[^\\()[\].{]+|[\s\S]/g;

interface Group {
  total: number;
  last: number;
}

function patternCost(pattern: string): number {
  const groups: Group[] = [{ total: 0, last: 0 }];
  for (const match of pattern.matchAll(tokens)) {
    const group = groups.at(-1) ?? { total: 0, last: 0 };
    const [token, least, , most] = match;
    if (least !== undefined || most !== undefined) repeat(group, Math.max(Number(least ?? 0), Number(most ?? 0)));
    else if (token === '(' || token === '[') groups.push({ total: 0, last: 0 });
    else if (token === ')' || token === ']') close(groups, group);
    else add(group, costOf(token));
  }
  return Math.min(
    maxCost,
    groups.reduce((sum, group) => sum + group.total, baseCost),
  );
}

function costOf(token: string): number {
  if (/^\\[pPwWbB]/.test(token)) return 1;
  if (/^\\[dDsS]/.test(token)) return 0.1;
  return 0.01 * token.length;
}

function add(group: Group, cost: number): void {
  group.last = cost;
  group.total = Math.min(maxCost, group.total + cost);
}

function repeat(group: Group, times: number): void {
  const more = group.last * (Math.max(times, 1) - 1);
  group.last += more;
  group.total = Math.min(maxCost, group.total + more);
}

function close(groups: Group[], group: Group): void {
  if (groups.length === 1) return;
  groups.pop();
  const outer = groups.at(-1);
  if (outer !== undefined) add(outer, group.total);
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
