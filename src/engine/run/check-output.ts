import type { Json } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { StepPlan } from '../plan.ts';
import { compact, utf8Length } from '../values/canonical.ts';
import { checkJsonValue } from '../values/parse-json.ts';

const maxDepth = 128;
const maxOutputBytes = 4 * 1024 * 1024;
/** Room for the 10 MiB of text of docs/spec/verification.md §4.3. */
const maxExtractBytes = 16 * 1024 * 1024;

/** Why a step's output cannot be kept (verification.md §4.2), or null. Outputs come from code and models: hostile. */
export function checkOutput(output: Json, action: StepPlan['action']['kind']): ReasonCode | null {
  if (!checkJsonValue(output, maxDepth).ok) return 'malformed_output';
  const bytes = utf8Length(compact(output));
  if (action === 'extract') return bytes > maxExtractBytes ? 'extract_limit' : null;
  return bytes > maxOutputBytes ? 'output_limit' : null;
}
