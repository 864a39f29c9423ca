import type { Provenance, ToolCall } from '#contract/result.ts';
import type { SettlementResult, Work } from '#engine/index.ts';
import { performAgent } from '../agent/perform-agent.ts';
import type { Artifacts, Clock, Evidence, Extract, Log, Models, Sandbox, Traces } from '../ports.ts';
import type { DriveInput } from './drive.ts';
import { performCode } from './perform-code.ts';
import { performExtract } from './perform-extract.ts';
import { performPlaces } from './perform-places.ts';
import { performTrace } from './perform-trace.ts';

/** Every effect that a run's work may need. */
export interface DrivePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly evidence: Evidence;
  readonly artifacts: Artifacts;
  readonly models: Models;
  readonly sandbox: Sandbox;
  readonly extract: Extract;
  readonly traces: Traces;
}

/** A settlement without its attempt and duration. */
export interface Performed {
  readonly result: SettlementResult;
  readonly provenance?: Provenance;
  readonly tool_calls?: readonly ToolCall[];
  readonly warnings?: readonly string[];
}

export function perform(ports: DrivePorts, input: DriveInput, work: Work, signal: AbortSignal): Promise<Performed> {
  switch (work.kind) {
    case 'agent':
      return performAgent(ports, input, work, signal);
    case 'code':
      return performCode(ports, input, work, signal);
    case 'extract':
      return performExtract(ports, input, work, signal);
    case 'places':
      return performPlaces(ports, input, work, signal);
    case 'trace':
      return performTrace(ports, input, work, signal);
  }
}
