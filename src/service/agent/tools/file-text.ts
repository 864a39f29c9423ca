import type { HeldFile, Workspace } from '../workspace/workspace.ts';
import { type ToolError, toolError } from './tool.ts';

/** Lines end at `\n` or `\r\n`; a final line end makes no further line (docs/spec/verification.md §5.3). */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The text of a file, or what the model is told. */
export function textAt(
  workspace: Workspace,
  path: string,
): { readonly kind: 'text'; readonly file: HeldFile; readonly lines: readonly string[] } | ToolError {
  const file = workspace.file(path);
  if (file === undefined) return toolError('no_such_file', 'the workspace has no file of that path');
  const text = decode(file.bytes);
  if (text === null) return toolError('not_text', 'the file is not UTF-8 text; documents are read with fs.extract');
  return { kind: 'text', file, lines: linesOf(text) };
}

/** Null for what is not UTF-8, and for what holds a NUL, as no text does. */
export function decode(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
