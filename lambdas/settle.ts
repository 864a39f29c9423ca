import { endCallSchema } from '#contract/aws-functions.ts';
import type { DecideAnswer } from '#contract/machine.ts';
import { decideAndSettle } from '#service/machine/decide-and-settle.ts';
import { failMachine, timeOutMachine } from '#service/machine/end-machine.ts';
import { identified } from './compose/call-ids.ts';
import { machinePorts } from './compose/host.ts';
import { signer } from './compose/signer.ts';
import { waking } from './compose/waking.ts';

const ports = { ...machinePorts(), signer, ...waking };

/** The last step of an attempt, however it ends. */
export const handler = identified(async (event): Promise<DecideAnswer> => {
  const { step, input } = endCallSchema.parse(event);
  switch (step) {
    case 'decide':
      return decideAndSettle(ports, input);
    case 'fail':
      return failMachine(ports, input);
    case 'time_out':
      return timeOutMachine(ports, input);
  }
});
