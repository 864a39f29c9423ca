import type { Outcome, VerificationResult } from '#contract/result.ts';
import type { Execution } from '../ports/executions.ts';

export interface ResultPorts {
  readonly engine: { readonly name: string; readonly version: string };
}

/** The result document of an execution (docs/spec/wire.md §6.5), without its `record`, which is over it. */
export function resultOf(
  ports: ResultPorts,
  execution: Execution,
  outcome: Outcome,
): Omit<VerificationResult, 'record'> {
  const environment = execution.request.deployment_environment;
  return {
    execution_id: execution.execution_id,
    ...(execution.run_id === null ? {} : { run_id: execution.run_id }),
    verifier: execution.verifier,
    subject: execution.subject,
    ...(environment === null ? {} : { deployment_environment: environment }),
    outcome,
    engine: ports.engine,
  };
}
