import { type Finding, toProblem } from '#contract/errors.ts';
import { compile } from '#engine/declare/compile.ts';
import { checkSubmission } from '#engine/declare/submission/check-submission.ts';
import type { FindConnection } from '#engine/declare/submission/operator-rules.ts';
import type { References } from '#engine/declare/types.ts';
import { toResultRef } from '../verify/find-target.ts';
import type { PlacedCard } from './place-card.ts';
import type { Submissions } from './read-submissions.ts';

/**
 * Judges every submitted Card, with the Cards it names, before anything is stored; throws with all findings of all Cards
 * (docs/spec/wire.md §3.4, §4.4). Judged is what was written: a default of another API version is refused, not dropped.
 */
export function checkDeclaration(
  references: References,
  submissions: Submissions,
  placed: readonly PlacedCard[],
  connections: FindConnection,
): void {
  const findings: Finding[] = [];
  for (const { card, authored } of placed) {
    if (card.kind !== 'Verifier') continue;
    const api = card.api_version === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
    const compiled = compile({ api, spec: authored, dialect: submissions.dialect, references });
    if (!compiled.ok) findings.push(...compiled.findings);
  }
  const submitted = placed.map(({ card, authored }) => ({ ref: toResultRef(card), spec: authored }));
  findings.push(...checkSubmission(submitted, references, connections));
  if (findings.some((finding) => finding.severity !== 'warning')) throw toProblem(findings);
}
