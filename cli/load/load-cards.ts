import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { mapReferences } from '#contract/cards/map-references.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { JsonObject } from '#contract/json.ts';
import { findCardFiles, isInside } from './find-card-files.ts';
import { pointerTokens } from './finding-path.ts';
import type { Issue } from './issue.ts';
import { fillManifest } from './manifest.ts';
import { type CardDocument, parseCardFile } from './parse-card-file.ts';
import { readFailures, readText } from './read-text.ts';

const maxFileBytes = 1_048_576;
/** docs/spec/wire.md §4.9. */
const maxCards = 500;

/** A Card as it is submitted: file references are siblings. */
export interface LoadedCard {
  readonly card: JsonObject;
  readonly document: CardDocument;
  /** The Cards of this load that it names. */
  readonly children: readonly LoadedCard[];
  /** `relative_path` of its manifest → the file on this machine. */
  readonly files: ReadonlyMap<string, string>;
}

export interface LoadedCards {
  /** Children stand before those that name them. */
  readonly cards: readonly LoadedCard[];
  readonly issues: readonly Issue[];
}

interface Loading {
  readonly root: string;
  readonly workingFolder: string;
  readonly files: Map<string, readonly CardDocument[]>;
  readonly loaded: Map<CardDocument, LoadedCard>;
  /** Documents whose children are being loaded: meeting one again is a circle. */
  readonly open: Set<CardDocument>;
  readonly issues: Issue[];
}

/**
 * Loads every Card of a file or folder and of the files they name (docs/spec/wire.md §4.1). Reports everything that is
 * wrong; throws a PathError only when the path itself cannot be used.
 */
export async function loadCards(path: string, workingFolder: string): Promise<LoadedCards> {
  const { files, isSingle, root } = await findCardFiles(path, workingFolder);
  const loading: Loading = { root, workingFolder, files: new Map(), loaded: new Map(), open: new Set(), issues: [] };
  for (const file of files) {
    for (const document of await readFileOnce(loading, file, isSingle)) await load(loading, file, document);
  }
  return { cards: [...loading.loaded.values()], issues: loading.issues };
}

function displayName(loading: Loading, file: string): string {
  return isInside(file, loading.workingFolder) ? relative(loading.workingFolder, file) : file;
}

async function readFileOnce(loading: Loading, file: string, isNamed: boolean): Promise<readonly CardDocument[]> {
  const known = loading.files.get(file);
  if (known) return known;
  const name = displayName(loading, file);
  const read = await readText(file, maxFileBytes);
  let documents: readonly CardDocument[] = [];
  if (!read.ok) {
    if (isNamed || read.reason === 'unreadable') loading.issues.push(fileIssue(name, readFailures[read.reason]));
  } else if (isNamed || read.text.includes('apiVersion')) {
    const parsed = parseCardFile(name, read.text);
    documents = parsed.documents;
    loading.issues.push(...parsed.issues);
    if (documents.length === 0 && parsed.issues.length === 0)
      loading.issues.push(fileIssue(name, 'the file holds no Card'));
  }
  loading.files.set(file, documents);
  return documents;
}

function fileIssue(file: string, message: string): Issue {
  return { file, line: 1, column: 1, code: 'WYRD_SPEC_400_VALIDATION', rule: 'file', message, severity: 'error' };
}

async function load(loading: Loading, file: string, document: CardDocument): Promise<LoadedCard | undefined> {
  const known = loading.loaded.get(document);
  if (known) return known;
  const { value } = document;
  if (!isJsonObject(value)) {
    loading.issues.push(issueAt(document, [], 'shape', 'a Card is a map with apiVersion, kind, metadata and spec'));
    return undefined;
  }
  if (loading.loaded.size + loading.open.size >= maxCards) {
    if (!loading.issues.some(({ rule }) => rule === 'limit')) {
      loading.issues.push(issueAt(document, [], 'limit', `more than ${maxCards} Cards`));
    }
    return undefined;
  }
  loading.open.add(document);
  const children = await loadChildren(loading, file, document, value);
  loading.open.delete(document);
  const { card, files } = await withManifest(loading, file, document, withSiblings(value, children));
  const loaded = { card, document, children: [...new Set(children.values())], files };
  loading.loaded.set(document, loaded);
  return loaded;
}

async function withManifest(
  loading: Loading,
  file: string,
  document: CardDocument,
  card: JsonObject,
): Promise<Pick<LoadedCard, 'card' | 'files'>> {
  if (!Array.isArray(card.artifacts)) return { card, files: new Map() };
  const { artifacts, files } = await fillManifest(file, loading.root, card.artifacts, (index, message) =>
    loading.issues.push(issueAt(document, ['artifacts', index], 'artifact', message)),
  );
  return { card: { ...card, artifacts }, files };
}

/** Place of each file reference → the Card that it names. */
async function loadChildren(
  loading: Loading,
  file: string,
  document: CardDocument,
  card: JsonObject,
): Promise<ReadonlyMap<string, LoadedCard>> {
  const wanted: { readonly path: string; readonly pointer: string }[] = [];
  mapReferences(kindOf(card), specOf(card), (target, pointer) => {
    if (target.form === 'path') wanted.push({ path: target.path, pointer });
    return null;
  });
  const children = new Map<string, LoadedCard>();
  for (const { path, pointer } of wanted) {
    const child = await loadReferenced(loading, file, path, (code, message) =>
      loading.issues.push({ ...issueAt(document, pointerTokens(pointer), 'reference', message), code }),
    );
    if (child) children.set(pointer, child);
  }
  return children;
}

async function loadReferenced(
  loading: Loading,
  from: string,
  path: string,
  report: (code: string, message: string) => void,
): Promise<LoadedCard | undefined> {
  const unresolved = (message: string) => report('WYRD_REGISTRY_400_UNRESOLVED_PATH_REF', `${path}: ${message}`);
  const real = await realpath(resolve(dirname(from), path)).catch(() => undefined);
  if (real === undefined) return void unresolved('there is no such file');
  if (!isInside(real, loading.root)) return void unresolved('lies outside the folder that is loaded');
  const issuesBefore = loading.issues.length;
  const documents = await readFileOnce(loading, real, true);
  const [document] = documents;
  if (!document) return void (loading.issues.length === issuesBefore && unresolved('holds no usable Card'));
  if (documents.length > 1) return void unresolved(`holds ${documents.length} Cards; a reference needs a file of one`);
  if (loading.open.has(document)) {
    return void report('WYRD_REGISTRY_400_DEPENDENCY_CYCLE', `${path}: the Cards name each other in a circle`);
  }
  return load(loading, real, document);
}

function withSiblings(card: JsonObject, children: ReadonlyMap<string, LoadedCard>): JsonObject {
  const spec = mapReferences(kindOf(card), specOf(card), (target, pointer) => {
    if (target.form === 'path') {
      const child = children.get(pointer);
      return child ? { sibling: toSibling(child.card) } : target.path;
    }
    const ref = toJsonRef(target.ref);
    return target.form === 'sibling' ? { sibling: ref } : ref;
  });
  return 'spec' in card && isJsonObject(card.spec ?? null) ? { ...card, spec } : card;
}

export function toJsonRef(ref: CardRef): JsonObject {
  const { kind, name, version, space, uid } = ref;
  const optional = { version, space, uid };
  const given = Object.entries(optional).flatMap(([key, text]) => (text === undefined ? [] : [[key, text] as const]));
  return { kind, name, ...Object.fromEntries(given) };
}

/** Just what names the child; what is wrong with its own envelope is said where it stands. */
function toSibling(card: JsonObject): JsonObject {
  const metadata = isJsonObject(card.metadata ?? null) ? (card.metadata as JsonObject) : {};
  const named = ['name', 'version', 'space'].flatMap((name) => {
    const text = metadata[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  return { kind: kindOf(card), ...Object.fromEntries(named) };
}

export function kindOf(card: JsonObject): string {
  return typeof card.kind === 'string' ? card.kind : '';
}

export function specOf(card: JsonObject): JsonObject {
  const { spec } = card;
  return spec !== undefined && isJsonObject(spec) ? spec : {};
}

function issueAt(document: CardDocument, tokens: readonly (string | number)[], rule: string, message: string): Issue {
  const { file } = document;
  return { file, ...document.place(tokens), code: 'WYRD_SPEC_400_VALIDATION', rule, message, severity: 'error' };
}
