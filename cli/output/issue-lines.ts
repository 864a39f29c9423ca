import type { Issue } from '../load/issue.ts';
import type { Paint } from '../terminal.ts';
import { printable } from './printable.ts';

/** One line an issue, in the form that editors and build servers turn into links: file:line:column. */
export function issueLines(issues: readonly Issue[], paint: Paint): string {
  return issues.map((issue) => `${issueLine(issue, paint)}\n`).join('');
}

function issueLine({ file, line, column, severity, rule, message, code }: Issue, paint: Paint): string {
  const word = severity === 'error' ? paint('red', 'error') : paint('yellow', 'warning');
  const place = paint('bold', `${printable(file)}:${line}:${column}`);
  return `${place} ${word} ${printable(message)} ${paint('dim', `${printable(rule)} ${printable(code)}`)}`;
}

export function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
