import type { Outcome, VerificationResult } from '#contract/result.ts';
import type { Execution } from '../ports/executions.ts';

export interface ResultPorts {
  readonly engine: { readonly name: string; readonly version: string };
}

/** The result document of an execution as the JSON text that is stored and answered (docs/spec/wire.md §6.5). */
export function resultText(ports: ResultPorts, execution: Execution, outcome: Outcome): string {
  const environment = execution.request.deployment_environment;
  const result: VerificationResult = {
    execution_id: execution.execution_id,
    ...(execution.run_id === null ? {} : { run_id: execution.run_id }),
    verifier: execution.verifier,
    subject: execution.subject,
    ...(environment === null ? {} : { deployment_environment: environment }),
    outcome,
    engine: ports.engine,
  };
  return JSON.stringify(result);
}
