import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { startEmulator } from './aws/emulator.ts';
import { startStageProxy } from './aws/stage-proxy.ts';

/**
 * `npm run aws:local [-- --port 8788] [-- -- command …]`: starts the emulator, deploys the unmodified CDK app to it, and
 * gives its API an origin. Prints the URL and two administrator keys, then waits for Ctrl-C; or runs the command with
 * them in its environment and ends with it. What the emulator does differently from AWS: docs/aws-emulator.md.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '8788' } },
});
const root = join(import.meta.dirname, '..');
const modelPort = process.env.TOUCHSTONE_MODEL_PORT ?? '18099';
const region = 'us-east-1';
const deployMs = 300_000;
/** So few that the windows of the acceptance suite are counted by several functions. */
const windowPartRows = 100;

type Environment = Record<string, string | undefined>;

function awsEnvironment(endpoint: string): Environment {
  return {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: '1',
  };
}

async function run(command: string, arguments_: readonly string[], cwd: string, env: Environment): Promise<number> {
  const child = spawn(command, arguments_, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  // The deployment tool waits for ever when a custom resource never answers.
  const timer = setTimeout(() => child.kill('SIGKILL'), deployMs);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return typeof code === 'number' ? code : 1;
}

async function cdk(cwd: string, env: Environment, ...arguments_: string[]): Promise<void> {
  const code = await run(process.execPath, [join(root, 'node_modules/aws-cdk/bin/cdk'), ...arguments_], cwd, env);
  if (code !== 0) throw new Error(`cdk ${arguments_[0]} ended with ${code}`);
}

interface Deployed {
  readonly Endpoint: string;
  readonly AdminKeySecret: string;
  readonly KeysFunction: string;
}

async function deploy(env: Environment): Promise<Deployed> {
  // Bootstrapping beside cdk.json would rewrite the output folder without the bundles.
  const empty = await mkdtemp(join(tmpdir(), 'touchstone-aws-'));
  try {
    await cdk(empty, env, 'bootstrap', `aws://000000000000/${region}`, '--quiet');
    const acceptance = { provider: 'openai-compatible', base_url: `http://127.0.0.1:${modelPort}/v1` };
    const out = join(empty, 'cdk.out');
    const context = [`deployments=${JSON.stringify({ acceptance })}`, `window_part_rows=${windowPartRows}`];
    await cdk(root, env, 'synth', '--quiet', '-o', out, ...context.flatMap((one) => ['-c', one]));
    const outputs = join(empty, 'outputs.json');
    await cdk(root, env, 'deploy', '--app', out, '--all', '--require-approval', 'never', '--outputs-file', outputs);
    return JSON.parse(await readFile(outputs, 'utf8')).TouchstoneService;
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
}

async function readKeys(endpoint: string, deployed: Deployed): Promise<readonly [main: string, other: string]> {
  const options = { endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const secrets = new SecretsManagerClient(options);
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: deployed.AdminKeySecret }));
  const call = { action: 'create', tenant: 'other', name: 'acceptance', role: 'admin' };
  const made = await new LambdaClient(options).send(
    new InvokeCommand({ FunctionName: deployed.KeysFunction, Payload: Buffer.from(JSON.stringify(call)) }),
  );
  return [SecretString ?? '', JSON.parse(Buffer.from(made.Payload ?? []).toString('utf8')).text];
}

const emulator = await startEmulator();
try {
  const started = Date.now();
  const env = awsEnvironment(emulator.endpoint);
  const deployed = await deploy(env);
  const [main, other] = await readKeys(emulator.endpoint, deployed);
  const proxy = await startStageProxy(emulator.endpoint, deployed.Endpoint, Number(values.port));
  console.log(
    `\nDeployed in ${Math.round((Date.now() - started) / 1_000)} s to ${emulator.endpoint}. Another shell can now:`,
  );
  console.log(`  export TOUCHSTONE_API_KEY=${main}`);
  console.log(`  export TOUCHSTONE_OTHER_TENANT_API_KEY=${other}`);
  console.log(`  export TOUCHSTONE_AWS_ENDPOINT=${emulator.endpoint}`);
  console.log(`  npm run acceptance -- --url ${proxy.url}\n`);
  const [command, ...rest] = positionals;
  if (command === undefined) await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  else {
    const given = {
      TOUCHSTONE_URL: proxy.url,
      TOUCHSTONE_API_KEY: main,
      TOUCHSTONE_OTHER_TENANT_API_KEY: other,
      // For the faults that only somebody with rights on the account can make (test/acceptance/deployed-faults).
      TOUCHSTONE_AWS_ENDPOINT: emulator.endpoint,
    };
    const child = spawn(command, rest, { cwd: root, env: { ...process.env, ...given }, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    process.exitCode = typeof code === 'number' ? code : 1;
  }
  await proxy.close();
} finally {
  await emulator.stop();
}
