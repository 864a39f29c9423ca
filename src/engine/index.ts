export { compile } from './declare/compile.ts';
export { begin, resume } from './run/begin.ts';
export { checkInputs } from './run/check-inputs.ts';
export { conclude, isFinished } from './run/conclude.ts';
export { ready } from './run/ready.ts';
export type { Pause, Run, RunInput } from './run/run.ts';
export { settle } from './run/settle.ts';
export type { Places, Settlement, SettlementResult, Work } from './run/work.ts';
