import { type CheckStep, checkSteps, type Defect, type RecordReport } from '#contract/record.ts';
import type { DefectCode } from '#contract/record-defects.ts';

/** A hostile record can be wrong in more places than anybody reads. */
const maxDefects = 500;

/** What a check has found so far. */
export interface Ledger {
  /** Says that a step was asked for, so that no defect in it means valid. */
  begin(step: CheckStep): void;
  invalid(step: CheckStep, code: DefectCode, at: string): void;
  undecidable(step: CheckStep, code: DefectCode, at: string): void;
  /** Whether anything in the step is wrong so far. */
  isInvalid(step: CheckStep): boolean;
  report(): RecordReport;
}

export function newLedger(): Ledger {
  const states = new Map<CheckStep, RecordReport['steps'][CheckStep]>();
  const defects: Defect[] = [];
  const add = (severity: Defect['severity'], step: CheckStep, code: DefectCode, at: string) => {
    if (states.get(step) !== 'invalid') states.set(step, severity);
    // Those that decide come first, so the list is cut at its end without hiding one of them.
    if (defects.length < maxDefects) defects.push({ code, severity, step, at });
  };
  return {
    begin: (step) => void (states.has(step) || states.set(step, 'valid')),
    invalid: (step, code, at) => add('invalid', step, code, at),
    undecidable: (step, code, at) => add('undecidable', step, code, at),
    isInvalid: (step) => states.get(step) === 'invalid',
    report: () => ({ result: resultOf([...states.values()]), steps: toSteps(states), defects }),
  };
}

function resultOf(states: readonly RecordReport['steps'][CheckStep][]): RecordReport['result'] {
  if (states.includes('invalid')) return 'invalid';
  return states.includes('undecidable') ? 'undecidable' : 'valid';
}

function toSteps(states: ReadonlyMap<CheckStep, RecordReport['steps'][CheckStep]>): RecordReport['steps'] {
  const of = (step: CheckStep) => states.get(step) ?? 'not_checked';
  const [form, signature, digests, logic, replay, inclusion] = checkSteps;
  return {
    form: of(form),
    signature: of(signature),
    digests: of(digests),
    logic: of(logic),
    replay: of(replay),
    inclusion: of(inclusion),
  };
}
