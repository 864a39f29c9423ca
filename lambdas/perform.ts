import { z } from 'zod';
import { machineCountSchema, machineWorkSchema } from '#contract/machine.ts';
import { countPart } from '#service/machine/count-parts.ts';
import { performWork } from '#service/machine/perform-work.ts';
import { agentTools } from './compose/agent-tools.ts';
import { identified } from './compose/call-ids.ts';
import { effectPorts, machinePorts } from './compose/host.ts';

const ports = { ...machinePorts(), effects: effectPorts(agentTools()) };

const callSchema = z.union([machineWorkSchema, machineCountSchema]);

/** Performs one work item of a background execution, or a part of one, and stores what came of it. */
export const handler = identified((event) => {
  const call = callSchema.parse(event);
  return 'part' in call ? countPart(ports, call) : performWork(ports, call);
});
