/** One thing that is wrong with a Card file, at its place. Lines and columns count from 1. */
export interface Issue {
  /** As the user would write the path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** A code of docs/spec/wire.md §3. */
  readonly code: string;
  readonly rule: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export function isError(issue: Issue): boolean {
  return issue.severity === 'error';
}

/** By file, then place, then text: the order in which an author reads. */
export function inReadingOrder(issues: readonly Issue[]): readonly Issue[] {
  const unique = new Map(issues.map((issue) => [JSON.stringify(issue), issue]));
  return [...unique.values()].sort(
    (left, right) =>
      compare(left.file, right.file) ||
      left.line - right.line ||
      left.column - right.column ||
      compare(left.message, right.message),
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
