import type { RequirementResult, VerificationResult } from '#contract/result.ts';
import { referActing } from './printable.ts';

/**
 * A result as JUnit XML, which build servers read: one test case a requirement; failed is a failure, inconclusive an
 * error (nobody may take it for a pass), not_applicable is skipped.
 */
export function junitXml(result: VerificationResult): string {
  const { requirements, steps } = result.outcome;
  const count = (word: RequirementResult['outcome']) => requirements.filter(({ outcome }) => outcome === word).length;
  const seconds = steps.reduce((sum, step) => sum + step.duration_ms, 0) / 1000;
  const counts = `tests="${requirements.length}" failures="${count('failed')}" errors="${count('inconclusive')}" skipped="${count('not_applicable')}" time="${seconds.toFixed(3)}"`;
  const verifier = `${result.verifier.name}@${result.verifier.version ?? ''}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name=${attribute(verifier)} ${counts}>`,
    '    <properties>',
    `      <property name="verdict" value=${attribute(result.outcome.verdict)}/>`,
    `      <property name="execution_id" value=${attribute(result.execution_id)}/>`,
    `      <property name="subject" value=${attribute(`${result.subject.kind}/${result.subject.name}@${result.subject.version ?? ''}`)}/>`,
    '    </properties>',
    ...requirements.map((requirement) => testCase(verifier, requirement)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(verifier: string, requirement: RequirementResult): string {
  const head = `    <testcase classname=${attribute(verifier)} name=${attribute(`${requirement.id}: ${requirement.statement}`)} time="0"`;
  const body = outcomeElement(requirement);
  return body === '' ? `${head}/>` : `${head}>\n      ${body}\n    </testcase>`;
}

function outcomeElement({ outcome, reason, reason_code, citations }: RequirementResult): string {
  switch (outcome) {
    case 'passed':
      return '';
    case 'not_applicable':
      return `<skipped message=${attribute(reason)}/>`;
    case 'failed':
    case 'inconclusive': {
      const element = outcome === 'failed' ? 'failure' : 'error';
      const places = citations === undefined ? '' : `\n${JSON.stringify(citations)}`;
      return `<${element} type=${attribute(reason_code)} message=${attribute(reason)}>${escapeXml(`${reason}${places}`)}</${element}>`;
    }
  }
}

function attribute(text: string): string {
  return `"${escapeXml(text)}"`;
}

/** Characters that XML 1.0 cannot hold in any spelling. */
const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Tabs and line ends too are references: a parser turns them into spaces in an attribute. */
function escapeXml(text: string): string {
  const allowed = text.replaceAll(notXml, '\u{fffd}');
  return referActing(allowed.replaceAll(/[&<>"']/g, (character) => entities[character] ?? ''));
}
