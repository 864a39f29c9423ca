import type { Citation, RequirementResult, StepResult, VerificationResult } from '#contract/result.ts';
import { type CitedText, formatPlace } from '../evidence/cited-text.ts';
import type { Paint, Style } from '../terminal.ts';
import { brief, printable, printableLines, shorten } from './printable.ts';

type Word = RequirementResult['outcome'];

const marks: Readonly<Record<Word, { readonly sign: string; readonly style: Style }>> = {
  passed: { sign: '✓', style: 'green' },
  failed: { sign: '✗', style: 'red' },
  inconclusive: { sign: '?', style: 'yellow' },
  not_applicable: { sign: '–', style: 'dim' },
};

const maxReason = 600;
const maxCitations = 5;

/** A result as a person reads it: verdict, then each requirement with its reason, values and cited places. */
export function verdictTree(result: VerificationResult, cited: CitedText, paint: Paint): string {
  const { verdict, requirements, steps } = result.outcome;
  const { sign, style } = marks[verdict];
  const title = `${paint('bold', paint(style, `${sign} ${verdict}`))}  ${paint('bold', nameOf(result.verifier))} ${paint('dim', `on ${nameOf(result.subject)}`)}`;
  const troubled = steps.filter((step) => step.status !== 'succeeded');
  const blocks = [
    ...requirements.map((requirement) => requirementLines(requirement, cited, paint)),
    ...troubled.map((step) => stepLines(step, paint)),
  ];
  const foot = paint('dim', `execution ${printable(result.execution_id)}`);
  return [title, ...asBranches(blocks, paint), foot, ''].join('\n');
}

function nameOf({ kind, name, version }: VerificationResult['verifier']): string {
  return printable(kind === 'Verifier' ? `${name}@${version ?? '?'}` : `${kind} ${name}@${version ?? '?'}`);
}

function asBranches(blocks: readonly (readonly string[])[], paint: Paint): readonly string[] {
  return blocks.flatMap((lines, index) => {
    const isLast = index === blocks.length - 1;
    return lines.map((line, at) => {
      if (at === 0) return `${paint('dim', isLast ? '└─' : '├─')} ${line}`;
      return `${isLast ? ' ' : paint('dim', '│')}    ${line}`;
    });
  });
}

function requirementLines(requirement: RequirementResult, cited: CitedText, paint: Paint): readonly string[] {
  const { sign, style } = marks[requirement.outcome];
  const advisory = requirement.severity === 'advisory' ? paint('dim', ' (advisory)') : '';
  const head = `${paint(style, `${sign} ${requirement.outcome}`)}  ${printable(requirement.id)}${advisory}  ${paint('dim', printable(shorten(requirement.statement, 160)))}`;
  return [
    head,
    ...reasonLines(requirement, paint),
    ...valueLines(requirement, paint),
    ...citationLines(requirement, cited, paint),
  ];
}

function reasonLines({ reason, reason_code, outcome }: RequirementResult, paint: Paint): readonly string[] {
  const lines = printableLines(shorten(reason, maxReason));
  // A code that only repeats "it passed" or "it failed" helps nobody; one that says why something is open does.
  const code = outcome === 'inconclusive' ? paint('dim', ` [${printable(reason_code ?? '')}]`) : '';
  return lines.map((line, index) => (index === lines.length - 1 ? `${line}${code}` : line));
}

function valueLines(requirement: RequirementResult, paint: Paint): readonly string[] {
  if (requirement.outcome === 'passed' || requirement.actual === undefined) return [];
  const expected =
    requirement.expected === undefined ? '' : `   ${paint('dim', 'expected')} ${brief(requirement.expected)}`;
  return [`${paint('dim', 'actual')} ${brief(requirement.actual)}${expected}`];
}

function citationLines(requirement: RequirementResult, cited: CitedText, paint: Paint): readonly string[] {
  const citations = requirement.citations ?? [];
  const shown = citations.slice(0, maxCitations).flatMap((citation) => oneCitation(citation, cited, paint));
  const rest = citations.length - maxCitations;
  return rest > 0 ? [...shown, paint('dim', `and ${rest} more places`)] : shown;
}

function oneCitation(citation: Citation, cited: CitedText, paint: Paint): readonly string[] {
  const place = paint('cyan', printable(formatPlace(citation)));
  const lines = cited(citation).map((line) => `  ${paint('dim', printable(shorten(line, 120)))}`);
  return [place, ...lines];
}

function stepLines(step: StepResult, paint: Paint): readonly string[] {
  const head = `${paint('yellow', `! ${step.status}`)}  step ${printable(step.id)}`;
  const why = step.reason === undefined ? [] : printableLines(shorten(step.reason, maxReason));
  return [
    head,
    ...why.map((line, index) =>
      index === why.length - 1 ? `${line}${paint('dim', ` [${printable(step.reason_code ?? '')}]`)}` : line,
    ),
  ];
}
