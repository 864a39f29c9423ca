import { textBudget } from '../text-budget.ts';
import { readXml } from './read-xml.ts';

/** The strings that cells name by index. Runs of rich text are joined; readings above a text are not part of it. */
export function readSharedStrings(bytes: Uint8Array): readonly string[] {
  const budget = textBudget();
  const strings: string[] = [];
  const rich = richText();
  readXml(bytes, {
    open: (name) => {
      if (name === 'x:si') rich.reset();
      else rich.open(name);
    },
    close: (name) => {
      rich.close(name);
      if (name !== 'x:si') return;
      const text = decodeEscapes(rich.value());
      budget.text(text);
      budget.cells(1);
      strings.push(text);
    },
    text: rich.text,
  });
  return strings;
}

/** Collects the `t` elements of one string, without its phonetic runs. */
export function richText() {
  let value = '';
  let phonetic = 0;
  let inText = false;
  return {
    value: () => value,
    reset: () => {
      value = '';
      inText = false;
    },
    open: (name: string) => {
      if (name === 'x:rPh') phonetic += 1;
      if (name === 'x:t') inText = phonetic === 0;
    },
    close: (name: string) => {
      if (name === 'x:rPh') phonetic -= 1;
      if (name === 'x:t') inText = false;
    },
    text: (text: string) => {
      if (inText) value += text;
    },
  };
}

/** `_x000D_` and the like stand for characters that XML cannot hold (ECMA-376 part 1 §22.9.2.19). */
export function decodeEscapes(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (written, digits: string) => {
    const unit = Number.parseInt(digits, 16);
    // Half a character is left as it is written: it would make text that is no Unicode.
    return unit >= 0xd800 && unit <= 0xdfff ? written : String.fromCharCode(unit);
  });
}
