const tokens = /\\[pP](?:\{[^}]*\}|.)|\\[wWbB]|\\[dDsS]|\\.|\{(\d+)?(,)?(\d+)?\}|[()[\].]|[^\\()[\].{]+|[\s\S]/g;

interface Group {
  total: number;
  last: number;
}

/**
 * The size of a pattern with its counted repetitions written out, in units of the caller's: `costOf` prices one token (an
 * escape, a class, a run of literals). An estimate made without compiling; never above 1e9. Hostile: any text.
 */
export function expandedSize(pattern: string, costOf: (token: string) => number): number {
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
    maxSize,
    groups.reduce((sum, group) => sum + group.total, 0),
  );
}

const maxSize = 1e9;

function add(group: Group, cost: number): void {
  group.last = cost;
  group.total = Math.min(maxSize, group.total + cost);
}

function repeat(group: Group, times: number): void {
  const more = group.last * (Math.max(times, 1) - 1);
  group.last += more;
  group.total = Math.min(maxSize, group.total + more);
}

function close(groups: Group[], group: Group): void {
  if (groups.length === 1) return;
  groups.pop();
  const outer = groups.at(-1);
  if (outer !== undefined) add(outer, group.total);
}
