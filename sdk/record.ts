/**
 * The offline check of records (docs/spec/records.md §4), in a browser or in Node: a module of its own, so that a client
 * that checks nothing does not carry the engine.
 */
export type { CheckStep, Defect, KeySet, RecordReport } from '#contract/record.ts';
export {
  checkRecord,
  type EvidenceFile,
  type RecordCheck,
  type RepeatedWork,
  workToRepeat,
} from '#engine/record/check-record.ts';
