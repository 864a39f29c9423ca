import { machineWorkSchema } from '#contract/machine.ts';
import { performWork } from '#service/machine/perform-work.ts';
import { agentTools } from './compose/agent-tools.ts';
import { identified } from './compose/call-ids.ts';
import { effectPorts, machinePorts } from './compose/host.ts';

const ports = { ...machinePorts(), effects: effectPorts(agentTools()) };

/** Performs one work item of a background execution and stores its answer. */
export const handler = identified((event) => performWork(ports, machineWorkSchema.parse(event)));
