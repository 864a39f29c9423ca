import { stepCallSchema } from '#contract/aws-functions.ts';
import type { AdvanceAnswer, ClaimAnswer } from '#contract/machine.ts';
import { advance } from '#service/machine/advance.ts';
import { claimStep } from '#service/machine/claim-step.ts';
import { identified } from './compose/call-ids.ts';
import { machinePorts } from './compose/host.ts';

const ports = machinePorts();

/** Claim and Advance: who works on an execution, and what must be done next. */
export const handler = identified(async (event): Promise<ClaimAnswer | AdvanceAnswer> => {
  const call = stepCallSchema.parse(event);
  return call.step === 'claim' ? claimStep(ports, call.input) : advance(ports, call.input);
});
