import { type Dialect, type Envelope, envelopeSchemas } from '#contract/cards/envelope.ts';
import { isCardKind } from '#contract/cards/kinds.ts';
import { mapReferences } from '#contract/cards/map-references.ts';
import { type CardRef, formatCardRef } from '#contract/cards/reference.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { Finding } from '#contract/errors.ts';
import { isFullVersion, isVersionLine } from '#contract/ids.ts';
import type { JsonObject } from '#contract/json.ts';
import { compile } from '#engine/declare/compile.ts';
import { toFaults } from '#engine/declare/shape/issues.ts';
import { checkSubmission, type SubmittedCard } from '#engine/declare/submission/check-submission.ts';
import type { References } from '#engine/declare/types.ts';
import { findingTokens } from '../load/finding-path.ts';
import type { Issue } from '../load/issue.ts';
import { kindOf, type LoadedCard, specOf } from '../load/load-cards.ts';
import { siblingsAsReferences, toRef } from './sibling-references.ts';

/**
 * Judges Cards that are declared together as the service would, without one: everything but what only a registry knows.
 * Cards that are named but not among the files give a warning.
 */
export function checkCards(cards: readonly LoadedCard[]): readonly Issue[] {
  const dialect = cards.some(({ card }) => hasSpace(card)) ? 'spaced' : 'flat';
  const references = siblingsAsReferences(cards);
  const issues = cards.flatMap((loaded) => {
    const findings = [...envelopeFindings(loaded.card, dialect), ...specFindings(loaded.card, dialect, references)];
    const isComplete = !hasLeftOver(loaded.card);
    const shown = findings.filter(({ rule }) => isComplete || rule !== 'dependency');
    return shown.map((finding) => toIssue(loaded, softened(finding)));
  });
  return [...issues, ...duplicates(cards)];
}

function hasSpace({ metadata }: JsonObject): boolean {
  return metadata !== undefined && isJsonObject(metadata) && (metadata.space ?? null) !== null;
}

/** A file reference that the loader could not resolve; it has said so, and why, where it stands. */
function hasLeftOver(card: JsonObject): boolean {
  let found = false;
  mapReferences(kindOf(card), specOf(card), ({ form }) => {
    found ||= form === 'path';
    return null;
  });
  return found;
}

function envelopeFindings(card: JsonObject, dialect: Dialect): readonly Finding[] {
  const parsed = envelopeSchemas[dialect].safeParse(card);
  if (!parsed.success) return shapeFindings(card, parsed.error.issues);
  const { version } = parsed.data.metadata;
  if (typeof version === 'string' && !isFullVersion(version) && !isVersionLine(version)) return [badVersion];
  const isOurs = parsed.data.apiVersion === 'touchstone/v1' && parsed.data.kind !== 'Verifier';
  return isOurs ? [onlyVerifiers(parsed.data)] : [];
}

/** docs/spec/wire.md §4.2. */
const badVersion: Finding = {
  code: 'WYRD_REGISTRY_400_INVALID_VERSION_BLOCK',
  rule: 'version',
  path: '/metadata/version',
  message: 'write 1.2.3, or 1 or 1.2 for the next version in that line',
};

/** docs/spec/verification.md §1.3. */
function onlyVerifiers({ kind }: Envelope): Finding {
  const message = `a ${kind} is wyrd/v1; touchstone/v1 is for Verifiers`;
  return { code: 'WYRD_REGISTRY_400_INVALID_CARD_SPEC', rule: 'shape', path: '/apiVersion', message };
}

function shapeFindings(root: JsonObject, issues: Parameters<typeof toFaults>[1]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { path, message } of toFaults(root, issues)) {
    const pointer = path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    const finding = { code: 'WYRD_REGISTRY_400_INVALID_CARD_SPEC', rule: 'shape', path: pointer, message } as const;
    if (!found.has(pointer)) found.set(pointer, finding);
  }
  return [...found.values()];
}

function specFindings(card: JsonObject, dialect: Dialect, references: References): readonly Finding[] {
  if (!isJsonObject(card.spec ?? null)) return [];
  if (kindOf(card) === 'Verifier') {
    const api = card.apiVersion === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
    const compiled = compile({ api, spec: specOf(card), dialect, references });
    return compiled.ok ? compiled.warnings : compiled.findings;
  }
  const submitted = toSubmitted(card);
  return submitted === undefined ? [] : checkSubmission([submitted], references);
}

/** A Card whose name is wrong has a spec all the same. */
function toSubmitted(card: JsonObject): SubmittedCard | undefined {
  const kind = kindOf(card);
  if (!isCardKind(kind)) return undefined;
  return { ref: toRef(card) ?? { kind, name: 'unnamed' }, spec: card.spec ?? null };
}

/** A Card that is declared already may well exist; only the service can say. */
function softened(finding: Finding): Finding {
  if (finding.code !== 'WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY') return finding;
  const message = 'the Card is not among these files, so what names it was not checked';
  return { ...finding, severity: 'warning', message };
}

/** One name twice; what else only shows between Cards cannot come out of a loader, which brings only what is named. */
function duplicates(cards: readonly LoadedCard[]): readonly Issue[] {
  const first = new Map<string, LoadedCard>();
  const twice: Issue[] = [];
  for (const loaded of cards) {
    const ref = toRef(loaded.card);
    const key = ref === undefined ? '' : keyOf(ref);
    if (first.has(key)) twice.push(toIssue(loaded, duplicate(key)));
    else if (key !== '') first.set(key, loaded);
  }
  return twice;
}

function keyOf({ space, ...ref }: CardRef): string {
  return formatCardRef({ ...ref, space: space ?? 'default' });
}

function duplicate(key: string): Finding {
  const message = `${key.replace(/^default\//, '')} is declared twice`;
  return { code: 'WYRD_SPEC_400_DUPLICATE_SUBMISSION', rule: 'duplicate_submission', path: '/metadata/name', message };
}

function toIssue({ card, document }: LoadedCard, { code, rule, path, message, severity }: Finding): Issue {
  const place = document.place(findingTokens(card, rule, path));
  return { file: document.file, ...place, code, rule, message, severity: severity ?? 'error' };
}
