/**
 * What a terminal would act on or swallow instead of show: control characters, the marks that reorder or hide text
 * (CVE-2021-42574), half characters. Evidence, reasons and names come from strangers.
 */
const acting = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of text that shows every character it holds. */
export function printable(text: string): string {
  return text.replaceAll(acting, escapeCharacter);
}

/** The lines of a text, each printable. */
export function printableLines(text: string): readonly string[] {
  return text.split(/\r?\n/).map(printable);
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Data of a JSON document, indented. The same characters are written as JSON's own escapes: whoever reads the data gets
 * them back, and whoever looks at them on a terminal is safe.
 */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return text.replaceAll(acting, (character) => (character === '\n' ? character : escapeUnits(character)));
}

function escapeUnits(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

/** The same in XML: references to the characters, which XML 1.0 allows for all but some controls. */
export function referActing(text: string): string {
  return text.replaceAll(acting, (character) => `&#${character.codePointAt(0) ?? 0};`);
}

/** Cut to at most `length` characters, never inside one. */
export function shorten(text: string, length: number): string {
  const characters = Array.from(text.slice(0, length * 2));
  if (characters.length <= length && text.length <= length * 2) return text;
  return `${characters.slice(0, length - 1).join('')}…`;
}

/** A JSON value on one short line. */
export function brief(value: unknown, length = 100): string {
  return printable(shorten(JSON.stringify(value) ?? '', length));
}

/** Breaks a line at spaces so that no part is longer than `width`, unless a word is. */
export function wrapWords(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of line.split(' ')) {
    const longer: string = current === undefined ? word : `${current} ${word}`;
    if (current !== undefined && longer.length > width) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current ?? ''];
}
