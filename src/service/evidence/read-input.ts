import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { Executions } from '../ports/executions.ts';
import type { Evidence } from '../ports.ts';
import { requireExecution } from '../verify/read-executions.ts';
import { readChecked } from './read-checked.ts';

/**
 * The bytes of a file that an execution judged, as pinned. JSON inputs are in the result, as far as its Verifier lets them
 * out (docs/spec/verification.md §12).
 */
export async function readInputFile(
  ports: { readonly executions: Executions; readonly evidence: Evidence },
  principal: Principal,
  executionId: string,
  slot: string,
): Promise<Uint8Array> {
  // Refuses unknown and hidden ids with the same answer as a read.
  const { inputs } = (await requireExecution(ports, principal, executionId)).request;
  const pinned = Object.hasOwn(inputs, slot) ? inputs[slot] : undefined;
  if (pinned === undefined || !('sha256' in pinned)) {
    throw new Problem('WYRD_SPEC_404_NOT_FOUND', 'the execution has no file of that slot');
  }
  const bytes = await readChecked(ports.evidence, principal.tenant, pinned.sha256);
  if (bytes === 'mismatch' || bytes === null) {
    throw new Problem('TOUCHSTONE_410_EVIDENCE_EXPIRED', 'the file is no longer held', { slot });
  }
  return bytes;
}
