import { LineCounter, parseAllDocuments } from 'yaml';
import type { Json } from '#contract/json.ts';
import type { Issue, Place } from './issue.ts';
import { readTree, type Tokens, type Tree } from './yaml-tree.ts';

/** One document of a Card file. */
export interface CardDocument {
  readonly file: string;
  readonly value: Json;
  place(tokens: Tokens): Place;
}

export interface ParsedCardFile {
  readonly documents: readonly CardDocument[];
  readonly issues: readonly Issue[];
}

const maxIssues = 20;
const maxMessage = 300;

/** Parses YAML (JSON is YAML) of one or more documents, with the place of every value. Empty documents are left out. */
export function parseCardFile(file: string, text: string): ParsedCardFile {
  const lines = new LineCounter();
  const toPlace = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const documents: CardDocument[] = [];
  const issues: Issue[] = [];
  const report = (offset: number, message: string) => {
    if (issues.length < maxIssues) issues.push(syntaxIssue(file, toPlace(offset), message));
  };
  // Keys are compared by our own reader: the library's way takes quadratic time.
  const options = {
    version: '1.2',
    uniqueKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter: lines,
  } as const;
  const parsed = parseAllDocuments(text, options);
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const errors = [...document.errors, ...document.warnings];
    for (const error of errors)
      report(error.pos[0], error.code === 'RESOURCE_EXHAUSTION' ? 'nested too deep' : error.message);
    if (errors.length > 0) continue;
    const tree = readTree(document);
    for (const { offset, message } of tree.faults) report(offset, message);
    if (tree.faults.length === 0 && tree.value !== null) documents.push(toDocument(file, tree, toPlace));
  }
  return { documents, issues };
}

function toDocument(file: string, tree: Tree, toPlace: (offset: number) => Place): CardDocument {
  return { file, value: tree.value, place: (tokens) => toPlace(tree.offsetOf(tokens)) };
}

function syntaxIssue(file: string, place: Place, message: string): Issue {
  const short = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
  return { file, ...place, code: 'WYRD_SPEC_400_VALIDATION', rule: 'syntax', message: short, severity: 'error' };
}
