import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type AwsEnvironment, environmentNames } from '#contract/aws-names.ts';
import type { Workflow } from '#service/ports/attempts.ts';
import type { Alarms } from '#service/ports/due.ts';
import { schedulerAlarms } from './background/alarms.ts';
import type { BackgroundStore } from './background/background-store.ts';
import { type AwsClientOptions, maxAttempts, quick } from './clients.ts';
import { stepFunctionsWorkflow } from './workflow.ts';

/** Clients of a function that starts work or sets alarms. */
export interface WakingClients {
  readonly sfn: SFNClient;
  readonly scheduler: SchedulerClient;
}

export function makeWakingClients(options: AwsClientOptions = {}): WakingClients {
  const shared = { ...options, maxAttempts, retryMode: 'standard' as const, requestHandler: quick };
  return { sfn: new SFNClient(shared), scheduler: new SchedulerClient(shared) };
}

/** Apart from the stores, since most functions wake nobody: what their environment does not name is left to the sweep. */
export function wakingPorts(
  { sfn, scheduler }: WakingClients,
  env: AwsEnvironment,
  store: BackgroundStore,
  now: () => number,
): { readonly workflow?: Workflow; readonly alarms?: Alarms } {
  const machine = env[environmentNames.attemptMachine];
  const target = env[environmentNames.alarmTarget];
  return {
    ...(machine === undefined ? {} : { workflow: stepFunctionsWorkflow(sfn, machine) }),
    ...(target === undefined ? {} : { alarms: schedulerAlarms(scheduler, target, store, now) }),
  };
}
