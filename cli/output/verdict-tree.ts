import { isJsonObject } from '#contract/cards/shared.ts';
import type { Json } from '#contract/json.ts';
import type { Citation, RequirementResult, StepResult, VerificationResult } from '#contract/result.ts';
import { type CitedText, formatPlace } from '../evidence/cited-text.ts';
import type { Paint, Style } from '../terminal.ts';
import { brief, printable, printableLines, shorten, wrapWords } from './printable.ts';

type Word = RequirementResult['outcome'];

const marks: Readonly<Record<Word, { readonly sign: string; readonly style: Style }>> = {
  passed: { sign: '✓', style: 'green' },
  failed: { sign: '✗', style: 'red' },
  inconclusive: { sign: '?', style: 'yellow' },
  not_applicable: { sign: '–', style: 'dim' },
};

const maxReason = 600;
const maxCitations = 5;
const lineWidth = 96;

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
  return [title, ...asBranches(blocks, paint), ''].join('\n');
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
  // What held is said by the comparison itself.
  if (reason_code === 'comparison_true') return [];
  const lines = wrapped(reason);
  // A code that only repeats "it passed" or "it failed" helps nobody; one that says why something is open does.
  return outcome === 'inconclusive' ? withCode(lines, reason_code, paint) : lines;
}

function withCode(lines: readonly string[], code: string | undefined, paint: Paint): readonly string[] {
  return lines.map((line, index) =>
    index === lines.length - 1 ? `${line}${paint('dim', ` [${printable(code ?? '')}]`)}` : line,
  );
}

function wrapped(text: string): readonly string[] {
  return printableLines(shorten(text, maxReason)).flatMap((line) => wrapWords(line, lineWidth));
}

/** What was compared with what, and with which value where it did not hold. */
function valueLines({ outcome, check, actual, expected }: RequirementResult, paint: Paint): readonly string[] {
  if (actual === undefined) return [];
  const place = check.path ?? check.each ?? check.on;
  const operator = typeof check.operator === 'string' ? check.operator : kindOf(check.operator);
  const against = expected === undefined ? '' : ` ${brief(expected)}`;
  const compared = typeof place === 'string' ? `${printable(`${place} ${operator}`)}${against}` : '';
  if (outcome === 'passed') return compared === '' ? [] : [paint('dim', compared)];
  const what = compared === '' ? [] : [`${paint('dim', 'check')}  ${compared}`];
  return [...what, `${paint('dim', 'actual')} ${brief(actual)}`];
}

function kindOf(operator: Json | undefined): string {
  return operator !== undefined && isJsonObject(operator) && typeof operator.kind === 'string' ? operator.kind : '';
}

function citationLines(requirement: RequirementResult, cited: CitedText, paint: Paint): readonly string[] {
  const citations = requirement.citations ?? [];
  const shown = citations.slice(0, maxCitations).flatMap((citation) => oneCitation(citation, cited, paint));
  const rest = citations.length - maxCitations;
  return rest > 0 ? [...shown, paint('dim', `and ${rest} more places`)] : shown;
}

/** A cited value stands beside its place, cited lines below it. */
function oneCitation(citation: Citation, cited: CitedText, paint: Paint): readonly string[] {
  const place = paint('cyan', printable(formatPlace(citation)));
  const lines = cited(citation).map((line) => paint('dim', printable(shorten(line, 120))));
  if (!('lines' in citation.locator)) return [[place, ...lines].join('  ')];
  return [place, ...lines.map((line) => `  ${line}`)];
}

function stepLines(step: StepResult, paint: Paint): readonly string[] {
  const head = `${paint('yellow', `! ${step.status}`)}  step ${printable(step.id)}`;
  return [head, ...(step.reason === undefined ? [] : withCode(wrapped(step.reason), step.reason_code, paint))];
}
