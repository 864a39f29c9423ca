import type { Work } from '#engine/index.ts';
import { performAgent } from '../agent/perform-agent.ts';
import { performCode } from './perform-code.ts';
import { performDrift } from './perform-drift.ts';
import { performExtract } from './perform-extract.ts';
import { performPlaces } from './perform-places.ts';
import { performTrace } from './perform-trace.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';

export function perform(ports: DrivePorts, input: DriveInput, work: Work, signal: AbortSignal): Promise<Performed> {
  switch (work.kind) {
    case 'agent':
      return performAgent(ports, input, work, signal);
    case 'code':
      return performCode(ports, input, work, signal);
    case 'drift':
      return performDrift(ports, input, work, signal);
    case 'extract':
      return performExtract(ports, input, work, signal);
    case 'places':
      return performPlaces(ports, input, work, signal);
    case 'trace':
      return performTrace(ports, input, work, signal);
  }
}
