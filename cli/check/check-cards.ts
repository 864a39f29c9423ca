import { envelopeSchemas } from '#contract/cards/envelope.ts';
import { type Dialect, type JudgedKind, specSchemas } from '#contract/cards/index.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { Finding } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import { compile } from '#engine/declare/compile.ts';
import { toFaults } from '#engine/declare/shape/issues.ts';
import { findingTokens } from '../load/finding-path.ts';
import type { Issue } from '../load/issue.ts';
import { kindOf, type LoadedCard, specOf } from '../load/load-cards.ts';
import { siblingsAsReferences } from './sibling-references.ts';

/**
 * Judges loaded Cards as the service would when it is asked to declare them, without one: everything but what only a
 * registry knows. Cards that are named but not among the files give a warning.
 */
export function checkCards(cards: readonly LoadedCard[]): readonly Issue[] {
  const dialect = cards.some(({ card }) => hasSpace(card)) ? 'spaced' : 'flat';
  const references = siblingsAsReferences(cards);
  return cards.flatMap((loaded) => {
    const findings = [...envelopeFindings(loaded.card, dialect), ...specFindings(loaded.card, dialect, references)];
    return findings.map((finding) => toIssue(loaded, finding));
  });
}

function hasSpace({ metadata }: JsonObject): boolean {
  return metadata !== undefined && isJsonObject(metadata) && (metadata.space ?? null) !== null;
}

function envelopeFindings(card: JsonObject, dialect: Dialect): readonly Finding[] {
  const parsed = envelopeSchemas[dialect].safeParse(card);
  return parsed.success ? [] : shapeFindings(card, parsed.error.issues, '');
}

function specFindings(
  card: JsonObject,
  dialect: Dialect,
  references: ReturnType<typeof siblingsAsReferences>,
): readonly Finding[] {
  const kind = kindOf(card);
  if (!isJsonObject(card.spec ?? null)) return [];
  const spec = specOf(card);
  if (kind === 'Verifier') {
    const api = card.apiVersion === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
    const compiled = compile({ api, spec, dialect, references });
    return (compiled.ok ? compiled.warnings : compiled.findings).map(softenUnknownCards);
  }
  if (!Object.hasOwn(specSchemas, kind)) return [];
  const parsed = specSchemas[kind as JudgedKind].safeParse(spec);
  return parsed.success ? [] : shapeFindings(spec, parsed.error.issues, '/spec');
}

function shapeFindings(root: JsonObject, issues: Parameters<typeof toFaults>[1], base: string): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const { path, message } of toFaults(root, issues)) {
    const pointer = [base, ...path.map((token) => String(token).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
    const finding = { code: 'WYRD_REGISTRY_400_INVALID_CARD_SPEC', rule: 'shape', path: pointer, message } as const;
    if (!seen.has(pointer)) seen.set(pointer, finding);
  }
  return [...seen.values()];
}

/** A Card that is declared already may well exist; only the service can say. */
function softenUnknownCards(finding: Finding): Finding {
  if (finding.code !== 'WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY') return finding;
  return {
    ...finding,
    severity: 'warning',
    message: 'the Card is not among these files, so what names it was not checked',
  };
}

function toIssue({ card, document }: LoadedCard, { code, rule, path, message, severity }: Finding): Issue {
  const place = document.place(findingTokens(card, rule, path));
  return { file: document.file, ...place, code, rule, message, severity: severity ?? 'error' };
}
