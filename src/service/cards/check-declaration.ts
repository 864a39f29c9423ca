import { type Finding, toProblem } from '#contract/errors.ts';
import { compile } from '#engine/declare/compile.ts';
import type { Registry } from '../ports/registry.ts';
import { gatherReferences } from './gather-references.ts';
import type { PlacedCard } from './place-card.ts';
import type { Submissions } from './read-submissions.ts';

/**
 * Judges every submitted Card, with the Cards it names, before anything is stored; throws with all findings of all Cards
 * (docs/spec/wire.md §3.4, §4.4). Judged is what was written: a default of another API version is refused, not dropped.
 */
export async function checkDeclaration(
  registry: Registry,
  tenant: string,
  submissions: Submissions,
  placed: readonly PlacedCard[],
): Promise<void> {
  const cards = placed.map(({ card }) => card);
  const references = await gatherReferences(registry, tenant, cards);
  const findings: Finding[] = [];
  for (const { card, authored } of placed) {
    if (card.kind !== 'Verifier') continue;
    const api = card.api_version === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
    const compiled = compile({ api, spec: authored, dialect: submissions.dialect, references });
    if (!compiled.ok) findings.push(...compiled.findings);
  }
  if (findings.some((finding) => finding.severity !== 'warning')) throw toProblem(findings);
}
