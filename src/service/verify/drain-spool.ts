import type { Spool } from '../ports/executions.ts';
import { type StorePorts, storeResult } from './store-result.ts';

export interface DrainPorts extends StorePorts {
  readonly spool: Spool;
}

/** Brings results that once could not be stored into the store (docs/spec/background.md §1.5). Answers how many still wait. */
export function drainSpool(ports: DrainPorts): Promise<number> {
  return ports.spool.drain(async (tenant, execution) => {
    try {
      await storeResult(ports, tenant, execution);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      ports.log.error('a spooled result is still refused', { execution_id: execution.execution_id, error: name });
      throw error;
    }
  });
}
