import { unreadable } from '../archive/archive-limits.ts';
import { readZip } from '../archive/read-zip.ts';
import { readXml } from './read-xml.ts';

export interface Relation {
  readonly id: string;
  /** Last part of its type, e.g. `slide`. */
  readonly kind: string;
  readonly part: string;
}

/** An Office document opened as its parts. Relations that lead outside of it are never followed. */
export interface OfficePackage {
  readonly main: string;
  /** The bytes of a part. @throws ExtractFailure `extract_unreadable` when it is not there */
  readonly read: (part: string) => Uint8Array;
  readonly relations: (part: string) => readonly Relation[];
}

const relationTypes = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/',
  'http://purl.oclc.org/ooxml/officeDocument/relationships/',
];

/**
 * Opens an Office Open XML document (ECMA-376 part 2). Its main part has to be of the declared content type: a
 * document with macros, a template or another kind of document under the same extension is not that format.
 * @throws ExtractFailure
 */
export function openPackage(bytes: Uint8Array, mainType: string): OfficePackage {
  const parts = new Map<string, Uint8Array>();
  for (const [name, content] of readZip(bytes, (name) => /\.(xml|rels)$/i.test(name))) {
    // Part names are compared without case, so two that differ by case only have no one reading.
    const key = name.toLowerCase();
    if (parts.has(key)) throw unreadable('the document names a part twice');
    parts.set(key, content);
  }
  const read = (part: string) => {
    const content = parts.get(part.toLowerCase());
    if (content === undefined) throw unreadable('a part of the document is missing');
    return content;
  };
  const relations = (part: string) => {
    const content = parts.get(relationsPart(part).toLowerCase());
    return content === undefined ? [] : readRelations(content, folderOf(part));
  };
  const mains = relations('').filter(({ kind }) => kind === 'officeDocument');
  const [main] = mains;
  if (main === undefined || mains.length > 1) throw unreadable('the file is not an Office document');
  if (contentTypeOf(read('[Content_Types].xml'), main.part) !== mainType)
    throw unreadable('the Office document is of another kind');
  return { main: main.part, read, relations };
}

function folderOf(part: string): string {
  return part.slice(0, part.lastIndexOf('/') + 1);
}

function relationsPart(part: string): string {
  const folder = folderOf(part);
  return `${folder}_rels/${part.slice(folder.length)}.rels`;
}

function readRelations(bytes: Uint8Array, folder: string): readonly Relation[] {
  const relations: Relation[] = [];
  readXml(bytes, {
    open: (name, attribute) => {
      const type = attribute('Type') ?? '';
      const prefix = relationTypes.find((prefix) => type.startsWith(prefix));
      if (name !== 'rel:Relationship' || prefix === undefined || attribute('TargetMode') === 'External') return;
      const [id, target] = [attribute('Id'), attribute('Target')];
      if (id === undefined || target === undefined) throw unreadable('a relation of the document is broken');
      relations.push({ id, kind: type.slice(prefix.length), part: resolvePart(folder, target) });
    },
  });
  return relations;
}

function resolvePart(folder: string, target: string): string {
  const path = target.startsWith('/') ? target.slice(1) : `${folder}${target}`;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && segments.pop() === undefined) throw unreadable('a relation leads out of the document');
    if (segment !== '..' && segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

function contentTypeOf(bytes: Uint8Array, part: string): string | undefined {
  const extension = part.slice(part.lastIndexOf('.') + 1).toLowerCase();
  let byName: string | undefined;
  let byExtension: string | undefined;
  readXml(bytes, {
    open: (name, attribute) => {
      if (name === 'ct:Override' && attribute('PartName')?.toLowerCase() === `/${part.toLowerCase()}`)
        byName = attribute('ContentType');
      if (name === 'ct:Default' && attribute('Extension')?.toLowerCase() === extension)
        byExtension = attribute('ContentType');
    },
  });
  return byName ?? byExtension;
}
