import { checkSteps, type RecordReport } from '#contract/record.ts';
import { defectTexts } from '#contract/record-defects.ts';
import type { Style, Terminal } from '../terminal.ts';
import { printable } from './printable.ts';

const styles: Readonly<Record<RecordReport['steps'][keyof RecordReport['steps']], Style>> = {
  valid: 'green',
  invalid: 'red',
  undecidable: 'yellow',
  not_checked: 'dim',
};

/** The answer, each step's own, then every defect with what it means. */
export function reportText({ result, steps, defects }: RecordReport, { paintOut }: Pick<Terminal, 'paintOut'>): string {
  const width = Math.max(0, ...defects.map(({ code }) => code.length));
  const stepLines = checkSteps.map((step) => {
    const state = steps[step];
    return `  ${step.padEnd(10)} ${paintOut(styles[state], state.replace('_', ' '))}`;
  });
  const defectLines = defects.map(({ code, severity, at }) => {
    const word = paintOut(styles[severity], severity.padEnd(11));
    return `${word} ${code.padEnd(width)}  ${printable(at)}: ${defectTexts[code]}`;
  });
  return [paintOut(styles[result], result), ...stepLines, ...defectLines, ''].join('\n');
}
