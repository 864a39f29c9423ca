import { machineWorkSchema } from '#contract/machine.ts';
import { performWork } from '#service/machine/perform-work.ts';
import { effectPorts, machinePorts } from './compose/host.ts';

const ports = { ...machinePorts(), effects: effectPorts() };

/** Performs one work item of a background execution and stores its answer. */
export async function handler(event: unknown): Promise<void> {
  await performWork(ports, machineWorkSchema.parse(event));
}
