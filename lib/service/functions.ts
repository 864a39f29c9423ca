import { Duration } from 'aws-cdk-lib';
import { functionEnvironment } from '#contract/aws-functions.ts';
import { environmentNames, valuePrefixes } from '#contract/aws-names.ts';
import { callsPrefix } from '#contract/remote-calls.ts';
import { engineFiles } from '../bundle.ts';
import { grantStores } from '../constructs/access.ts';
import { HouseFunction, type HouseFunctionProps } from '../constructs/house-function.ts';
import { allowSigning } from '../constructs/signing-key.ts';
import type { Settings } from '../settings.ts';
import type { Making } from './making.ts';
import { sandboxFunction } from './sandbox-function.ts';
import { ringName } from './schedules.ts';

/** Every function of the deployment. */
export type Functions = ReturnType<typeof makeFunctions>;

const { executions, cards, sessions, work, spool, closings, traces, observations } = valuePrefixes;

export function makeFunctions(making: Making) {
  const effects = {
    extract: extractFunction(making),
    sandbox: sandboxFunction(making),
    models: modelsFunction(making),
  };
  const perform = withEffects(performFunction(making), effects);
  const verify = withEffects(verifyFunction(making), effects);
  return {
    ...effects,
    perform,
    verify,
    api: apiFunction(making),
    submit: submitFunction(making),
    advance: advanceFunction(making),
    settle: settleFunction(making),
    sweep: sweepFunction(making),
    outbox: outboxFunction(making),
    ring: ringFunction(making),
    deliver: deliverFunction(making),
    keys: keysFunction(making),
  };
}

type Defaults = 'entry' | 'memory' | 'timeout';

function make(
  { scope, context }: Making,
  id: string,
  props: Omit<HouseFunctionProps, Defaults> & Partial<Pick<HouseFunctionProps, Defaults>>,
): HouseFunction {
  const entry = `lambdas/${id.toLowerCase()}.ts`;
  return new HouseFunction(scope, id, context, { entry, memory: 1_024, timeout: Duration.seconds(30), ...props });
}

/** Reads hostile files beside the function that fits baselines, in a gigabyte of its memory. */
const baselineReader = ['src/adapters/parquet/parquet-reader.ts'];

/** Routes of `Verify` and `Submit` (lib/service/api.ts) load these: the largest function to start carries none of them. */
const servedElsewhere = [
  '#service/verify/execute.ts',
  '#service/submit/enqueue.ts',
  '#service/submit/replay.ts',
  '#service/records/verify-record.ts',
  '#service/records/retain.ts',
  '#service/records/close-checkpoint.ts',
];

function apiFunction(making: Making): HouseFunction {
  const { data } = making;
  const api = make(making, 'Api', {
    errorImpact: 'Callers cannot declare Cards, upload evidence or read results.',
    files: engineFiles,
    elsewhere: servedElsewhere,
    environment: corsEnvironment(making.settings),
  });
  grantStores(api, data, {
    tables: {
      registry: 'write',
      executions: 'read',
      sessions: 'write',
      keys: 'read',
      records: 'read',
      background: 'write',
    },
    objects: {
      evidence: { read: [''], write: [''] },
      // Parts of large files lie where calls do, for a day.
      values: {
        read: [cards, sessions, executions, callsPrefix],
        write: [cards, sessions, callsPrefix, traces, observations],
      },
      records: { read: [''] },
    },
  });
  // It seals what administrators bring; nothing of it is opened here.
  api.setEnvironment({ [environmentNames.connectionsKey]: data.connectionsKey.keyArn });
  api.allow(['kms:Encrypt'], [data.connectionsKey.keyArn]);
  // Whoever issues a token puts a new key before one that is old (src/service/auth/tokens.ts).
  const rotation = ['secretsmanager:PutSecretValue', 'secretsmanager:UpdateSecretVersionStage'];
  api.allow(['secretsmanager:GetSecretValue', ...rotation], [data.tokenKeys.secretArn]);
  return api;
}

function verifyFunction(making: Making): HouseFunction {
  const { data, settings } = making;
  const verify = make(making, 'Verify', {
    errorImpact: 'Callers of execute get no verdict for the work they sent.',
    files: engineFiles,
    // Above the 60 s of a call and the time to store its result (docs/spec/wire.md §1.6).
    timeout: Duration.seconds(65),
    memory: 1_769,
    environment: corsEnvironment(settings),
    reservedConcurrency: settings.reserved_concurrency.verify,
  });
  grantStores(verify, data, {
    tables: {
      registry: 'read',
      executions: 'write',
      sessions: 'write',
      keys: 'read',
      records: 'write',
      background: 'write',
    },
    objects: {
      // A trace that is judged is kept as evidence.
      evidence: { read: [''], write: [''] },
      values: {
        read: [cards, sessions, executions, callsPrefix, closings, traces, observations],
        write: [executions, spool, sessions, callsPrefix, closings],
      },
      records: { read: [''], write: [''] },
    },
  });
  verify.allow(['secretsmanager:GetSecretValue'], [data.tokenKeys.secretArn]);
  allowSigning(verify, data, settings);
  return verify;
}

function submitFunction(making: Making): HouseFunction {
  const { data } = making;
  const submit = make(making, 'Submit', {
    errorImpact: 'Callers cannot hand in work for background verification, or cancel it.',
    files: engineFiles,
    environment: corsEnvironment(making.settings),
  });
  grantStores(submit, data, {
    tables: { registry: 'read', executions: 'write', sessions: 'write', keys: 'read', background: 'write' },
    objects: {
      // It erases evidence.
      evidence: { read: [''], write: [''] },
      values: { read: [cards, sessions, executions, work], write: [executions, sessions, work] },
    },
  });
  submit.allow(['secretsmanager:GetSecretValue'], [data.tokenKeys.secretArn]);
  return submit;
}

function advanceFunction(making: Making): HouseFunction {
  const advance = make(making, 'Advance', {
    errorImpact: 'Background verifications do not start or do not go on.',
    files: engineFiles,
    environment: windowEnvironment(making.settings),
    // It lists the batches of a window that may be very many.
    timeout: Duration.minutes(5),
  });
  grantStores(advance, making.data, {
    tables: { registry: 'read', executions: 'write', sessions: 'write', background: 'read' },
    objects: { values: { read: [cards, executions, work], write: [executions, work] } },
  });
  return advance;
}

function performFunction(making: Making): HouseFunction {
  const perform = make(making, 'Perform', {
    errorImpact: 'Steps and checks of background verifications are not performed.',
    files: engineFiles,
    // The workspace of an agent is held in memory, 200 MiB at most, and a query over recorded rows has a process.
    memory: 1_769,
    timeout: Duration.seconds(310),
    reservedConcurrency: making.settings.reserved_concurrency.work,
    environment: windowEnvironment(making.settings),
  });
  grantStores(perform, making.data, {
    tables: { registry: 'read', executions: 'write', sessions: 'write', background: 'read' },
    objects: {
      evidence: { read: [''], write: [''] },
      values: { read: [cards, executions, work, callsPrefix, traces, observations], write: [work, callsPrefix] },
    },
  });
  return perform;
}

function settleFunction(making: Making): HouseFunction {
  const settle = make(making, 'Settle', {
    errorImpact: 'Background verifications that are judged are not stored and are judged again.',
    files: engineFiles,
    timeout: Duration.seconds(60),
  });
  grantStores(settle, making.data, {
    tables: { registry: 'read', executions: 'write', sessions: 'write', records: 'write', background: 'write' },
    objects: { values: { read: [cards, executions, work], write: [executions, work] } },
  });
  allowSigning(settle, making.data, making.settings);
  return settle;
}

function sweepFunction(making: Making): HouseFunction {
  const { data } = making;
  const sweep = make(making, 'Sweep', {
    errorImpact: 'Background work whose start or worker was lost waits until the sweep runs again.',
    files: engineFiles,
    workers: baselineReader,
    // A checkpoint of very many records takes longer than the minute until the next one, which then helps with it.
    timeout: Duration.minutes(5),
    memory: 1_769,
  });
  grantStores(sweep, data, {
    tables: {
      registry: 'write',
      executions: 'write',
      sessions: 'write',
      records: 'write',
      keys: 'read',
      background: 'write',
    },
    objects: {
      // Baselines are fitted from Artifacts.
      evidence: { read: [''] },
      values: { read: [executions, spool, cards, work, closings], write: [executions, spool, cards, work, closings] },
      records: { read: [''], write: [''] },
    },
  });
  allowSigning(sweep, data, making.settings);
  return sweep;
}

function outboxFunction(making: Making): HouseFunction {
  const outbox = make(making, 'Outbox', {
    errorImpact: 'Background work whose start was lost waits up to two minutes for the sweep.',
  });
  grantStores(outbox, making.data, { tables: {} });
  return outbox;
}

function ringFunction(making: Making): HouseFunction {
  const ring = make(making, 'Ring', {
    errorImpact: 'Schedules, groups and retries of deliveries ring up to two minutes late, by the sweep.',
    functionName: ringName(making.settings),
    files: engineFiles,
    workers: baselineReader,
    // A baseline of millions of rows is fitted here.
    timeout: Duration.minutes(15),
    memory: 1_769,
  });
  grantStores(ring, making.data, {
    tables: { registry: 'read', executions: 'write', sessions: 'read', keys: 'read', background: 'write' },
    objects: {
      evidence: { read: [''] },
      values: { read: [cards, executions], write: [cards, executions] },
    },
  });
  return ring;
}

function deliverFunction(making: Making): HouseFunction {
  const { data } = making;
  const deliver = make(making, 'Deliver', {
    errorImpact: 'Operators are told late, or not at all, that work failed.',
    timeout: Duration.seconds(45),
  });
  grantStores(deliver, data, {
    tables: { registry: 'read', background: 'write' },
    objects: { values: { read: [cards] } },
  });
  // The only one that opens secrets; each use names tenant and connection in the key's log.
  deliver.setEnvironment({ [environmentNames.connectionsKey]: data.connectionsKey.keyArn });
  deliver.allow(['kms:Decrypt'], [data.connectionsKey.keyArn]);
  return deliver;
}

function extractFunction(making: Making): HouseFunction {
  const extract = make(making, 'Extract', {
    errorImpact: 'Checks that read documents are inconclusive.',
    workers: ['src/adapters/extract/worker.ts'],
    timeout: Duration.seconds(60),
    memory: 1_769,
    reservedConcurrency: making.settings.reserved_concurrency.extract,
    files: engineFiles,
  });
  grantStores(extract, making.data, { tables: {}, objects: { values: { read: [callsPrefix], write: [callsPrefix] } } });
  return extract;
}

function modelsFunction(making: Making): HouseFunction {
  const { deployments, native, reserved_concurrency } = making.settings;
  const models = make(making, 'Models', {
    errorImpact: 'Checks that ask a model are inconclusive.',
    timeout: Duration.seconds(310),
    reservedConcurrency: reserved_concurrency.models,
    environment: { [functionEnvironment.modelRoutes]: JSON.stringify({ deployments, native }) },
  });
  grantStores(models, making.data, { tables: {}, objects: { values: { read: [callsPrefix], write: [callsPrefix] } } });
  const routes = [...Object.values(deployments), ...Object.values(native)];
  const secrets = routes.flatMap(({ api_key_secret }) => (api_key_secret === undefined ? [] : [api_key_secret]));
  if (secrets.length > 0) models.allow(['secretsmanager:GetSecretValue'], [...new Set(secrets)]);
  const regions = routes.flatMap((route) => (route.provider === 'bedrock' ? [route.region] : []));
  for (const region of new Set(regions)) {
    models.allow(
      ['bedrock:InvokeModel'],
      [`arn:aws:bedrock:${region}::foundation-model/*`, `arn:aws:bedrock:${region}:*:inference-profile/*`],
    );
  }
  return models;
}

function keysFunction(making: Making): HouseFunction {
  const { data, settings } = making;
  const keys = make(making, 'Keys', {
    errorImpact: 'Operators cannot make or revoke API keys, and a new deployment gets no first key.',
    environment: {
      [functionEnvironment.adminKeySecret]: data.adminKey.secretArn,
      [functionEnvironment.adminTenant]: settings.tenant,
    },
  });
  grantStores(keys, data, { tables: { keys: 'write', registry: 'read' } });
  keys.allow(['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], [data.adminKey.secretArn]);
  return keys;
}

/** The three functions whose libraries are their own, called directly. */
function withEffects(
  caller: HouseFunction,
  effects: { readonly extract: HouseFunction; readonly sandbox: HouseFunction; readonly models: HouseFunction },
): HouseFunction {
  for (const [key, { function: target }] of Object.entries(effects)) {
    caller.setEnvironment({ [functionEnvironment[key as keyof typeof effects]]: target.functionName });
    caller.allow(['lambda:InvokeFunction'], [target.functionArn]);
  }
  return caller;
}

function windowEnvironment({ window_part_rows }: Settings): Record<string, string> {
  return { [environmentNames.windowPartRows]: String(window_part_rows) };
}

function corsEnvironment({ cors_origins }: Settings): Record<string, string> {
  return cors_origins.length === 0 ? {} : { [functionEnvironment.corsOrigins]: JSON.stringify(cors_origins) };
}
