import { SaxesParser, type SaxesTagNS } from 'saxes';
import { overLimit, unreadable } from '../archive/archive-limits.ts';
import { ExtractFailure } from '../extract-failure.ts';

/** The value of an attribute by its name, with the prefix of `namespaces` where it has one. */
export type Attributes = (name: string) => string | undefined;

/** What a reader is told, in document order. Names have the prefixes of `namespaces`, whatever the document writes. */
export interface XmlReader {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

const maxDepth = 256;
const chunkBytes = 64 * 1024;

/** Namespaces of ECMA-376 (transitional) and ISO/IEC 29500 (strict); elements of any other have the prefix `other`. */
const namespaces: ReadonlyMap<string, string> = new Map([
  ...pair('w', 'wordprocessingml/2006/main', 'wordprocessingml/main'),
  ...pair('x', 'spreadsheetml/2006/main', 'spreadsheetml/main'),
  ...pair('p', 'presentationml/2006/main', 'presentationml/main'),
  ...pair('a', 'drawingml/2006/main', 'drawingml/main'),
  ...pair('m', 'officeDocument/2006/math', 'officeDocument/math'),
  ...pair('r', 'officeDocument/2006/relationships', 'officeDocument/relationships'),
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['http://schemas.openxmlformats.org/package/2006/relationships', 'rel'],
  ['http://schemas.openxmlformats.org/package/2006/content-types', 'ct'],
]);

function pair(prefix: string, transitional: string, strict: string): [string, string][] {
  return [
    [`http://schemas.openxmlformats.org/${transitional}`, prefix],
    [`http://purl.oclc.org/ooxml/${strict}`, prefix],
  ];
}

/**
 * Reads XML as a stream: no DTD, so no entities of its own and nothing external; 256 levels
 * (docs/spec/verification.md §4.3). Of alternative contents the first is read, the others are skipped.
 * @throws ExtractFailure `extract_unreadable`, or `extract_limit` for the depth
 */
export function readXml(bytes: Uint8Array, reader: XmlReader): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const alternatives = skipAlternatives();
  let depth = 0;
  parser.on('doctype', () => {
    throw unreadable('the document holds a DOCTYPE');
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^utf-?(8|16)$/i.test(encoding)) throw unreadable('the document is not UTF-8');
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > maxDepth) throw overLimit('the document nests over 256 levels');
    const name = nameOf(tag.uri, tag.local);
    if (alternatives.open(name)) reader.open(name, attributesOf(tag));
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    const name = nameOf(tag.uri, tag.local);
    if (alternatives.close(name)) reader.close?.(name);
  });
  const text = (value: string) => {
    if (alternatives.reads()) reader.text?.(value);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  try {
    for (const chunk of decoded(bytes)) parser.write(chunk);
    parser.close();
  } catch (cause) {
    throw cause instanceof ExtractFailure ? cause : unreadable('the document is not well-formed XML', cause);
  }
}

function nameOf(uri: string, local: string): string {
  return `${namespaces.get(uri) ?? 'other'}:${local}`;
}

function attributesOf({ attributes }: SaxesTagNS): Attributes {
  return (name) => {
    for (const { uri, local, value } of Object.values(attributes)) {
      if ((uri === '' ? local : nameOf(uri, local)) === name) return value;
    }
    return undefined;
  };
}

function* decoded(bytes: Uint8Array): Iterable<string> {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) {
    yield decoder.decode(bytes.subarray(at, at + chunkBytes), { stream: true });
  }
  yield decoder.decode();
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Both branches of `mc:AlternateContent` show the same content in two ways; reading both would read it twice. */
function skipAlternatives() {
  /** Whether a branch of each enclosing `mc:AlternateContent` was read. */
  const taken: boolean[] = [];
  let skipped = 0;
  return {
    reads: () => skipped === 0,
    open: (name: string): boolean => {
      const isBranch = name === 'mc:Choice' || name === 'mc:Fallback';
      if (skipped > 0 || (isBranch && taken.at(-1) === true)) skipped += 1;
      else if (name === 'mc:AlternateContent') taken.push(false);
      else if (isBranch && taken.length > 0) taken[taken.length - 1] = true;
      return skipped === 0;
    },
    close: (name: string): boolean => {
      if (skipped > 0) {
        skipped -= 1;
        return false;
      }
      if (name === 'mc:AlternateContent') taken.pop();
      return true;
    },
  };
}
