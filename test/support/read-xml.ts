/** One element of a well-formed XML document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads XML without comments, CDATA and doctypes; throws at whatever is not well-formed (XML 1.0 §2.1). */
export function readXml(source: string): XmlElement {
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(source))
    throw new Error('a character that XML cannot hold');
  const text = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '').trimEnd();
  const { element, end } = readElement(text, 0);
  if (end !== text.length) throw new Error(`more after the root at ${end}`);
  return element;
}

function readElement(source: string, start: number): { readonly element: XmlElement; readonly end: number } {
  const open = /^<([A-Za-z][\w.-]*)((?:\s+[A-Za-z][\w.-]*="[^"<]*")*)\s*(\/?)>/.exec(source.slice(start));
  if (!open) throw new Error(`no element at ${start}: ${source.slice(start, start + 40)}`);
  const [all, name = '', attributeText = '', slash] = open;
  const attributes = Object.fromEntries(
    [...attributeText.matchAll(/([A-Za-z][\w.-]*)="([^"]*)"/g)].map(([, key, value]) => [
      key ?? '',
      decode(value ?? ''),
    ]),
  );
  let at = start + all.length;
  if (slash === '/') return { element: { name, attributes, children: [], text: '' }, end: at };
  const children: XmlElement[] = [];
  let text = '';
  while (!source.startsWith(`</${name}>`, at)) {
    const next = source.indexOf('<', at);
    if (next === -1) throw new Error(`${name} does not end`);
    text += decode(source.slice(at, next));
    at = next;
    if (source.startsWith('</', at)) requireClosing(source, at, name);
    else {
      const child = readElement(source, at);
      children.push(child.element);
      at = child.end;
    }
  }
  return { element: { name, attributes, children, text }, end: at + name.length + 3 };
}

function requireClosing(source: string, at: number, name: string): void {
  if (!source.startsWith(`</${name}>`, at)) throw new Error(`${name} is closed by ${source.slice(at, at + 20)}`);
}

function decode(text: string): string {
  return text.replaceAll(/&([^;]*);?/g, (all, name: string) => {
    const number = /^#(\d+)$/.exec(name)?.[1];
    const character = number === undefined ? entities[name] : String.fromCodePoint(Number(number));
    if (character === undefined || !all.endsWith(';')) throw new Error(`no such entity: ${all}`);
    return character;
  });
}
