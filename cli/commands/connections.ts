import { type Command, Option } from 'commander';
import type { Client, ConnectionCreate, ConnectionUpdate, ConnectionView } from '#sdk/index.ts';
import { connect, type GlobalOptions, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { readSecret } from '../read-secret.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface FieldOptions extends GlobalOptions {
  readonly provider?: ConnectionView['provider'];
  readonly workspace?: string;
  readonly origin?: string;
  readonly scheme?: 'bearer' | 'basic' | 'header';
  readonly header?: string;
  readonly username?: string;
  readonly secretEnv?: string;
  readonly newSecret?: boolean;
  readonly enable?: boolean;
}

/** `touchstone connections …`: credentials that Operators deliver with (docs/operators.md). */
export function addConnectionsCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const connections = program
    .command('connections')
    .description('connections of Operators to Slack, PagerDuty and HTTP services; a secret is never shown again');
  const show = (options: GlobalOptions, connection: ConnectionView) => {
    if (options.json) writeJson(terminal, connection);
    else terminal.out(`${lineOf(connection)}\n`);
    end(exitCodes.passed);
  };
  withFields(connections.command('create'))
    .argument('<name>', 'what Operators call it')
    .description('store a connection; its secret is read from standard input or a variable')
    .addOption(new Option('--provider <name>').choices(['slack', 'pager_duty', 'http']).makeOptionMandatory())
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<FieldOptions>();
      const client = await connect(terminal, options);
      const created = toCreate(name, options, await readSecret(terminal, options.secretEnv));
      show(options, await client.createConnection(created));
    });
  connections
    .command('list')
    .description('list connections by name')
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const listed = await (await connect(terminal, options)).listConnections();
      if (options.json) writeJson(terminal, listed);
      else terminal.out(listed.map((connection) => `${lineOf(connection)}\n`).join(''));
      end(exitCodes.passed);
    });
  withFields(connections.command('update'))
    .argument('<connection>', 'its id, or its name when only one provider has it')
    .description('change a connection; what is not named stays')
    .option('--new-secret', 'read a new secret from standard input')
    .option('--enable', 'use it again after it was disabled')
    .action(async (wanted: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<FieldOptions>();
      const client = await connect(terminal, options);
      const found = await find(client, wanted);
      const hasSecret = options.newSecret || options.secretEnv !== undefined || options.scheme !== undefined;
      const secret = hasSecret ? await readSecret(terminal, options.secretEnv) : undefined;
      show(options, await client.updateConnection(found.connection_id, toUpdate(found, options, secret)));
    });
  connections
    .command('disable')
    .argument('<connection>', 'its id, or its name when only one provider has it')
    .description('stop all deliveries that use it; update --enable undoes it')
    .action(async (wanted: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await connect(terminal, options);
      show(options, await client.disableConnection((await find(client, wanted)).connection_id));
    });
}

function withFields(command: Command): Command {
  return command
    .option('--workspace <id>', 'slack: id of the workspace')
    .option('--origin <url>', 'http: scheme, host and port')
    .addOption(new Option('--scheme <scheme>', 'http: how it authenticates').choices(['bearer', 'basic', 'header']))
    .option('--header <name>', 'http: header of the scheme `header`')
    .option('--username <name>', 'http: user of the scheme `basic`')
    .option('--secret-env <variable>', 'environment variable that holds the secret; otherwise it is standard input');
}

function toCreate(name: string, options: FieldOptions, secret: string): ConnectionCreate {
  switch (options.provider) {
    case 'slack':
      return {
        provider: 'slack',
        name,
        workspace_id: required(options.workspace, '--workspace'),
        bot_token: secret,
      };
    case 'pager_duty':
      return { provider: 'pager_duty', name, integration_key: secret };
    default: {
      const scheme = required(options.scheme, '--scheme');
      const origin = required(options.origin, '--origin');
      return { provider: 'http', name, origin, auth: toAuth({ ...options, scheme }, secret) };
    }
  }
}

function toUpdate(found: ConnectionView, options: FieldOptions, secret: string | undefined): ConnectionUpdate {
  const status = options.enable ? ({ status: 'active' } as const) : {};
  const { provider } = found;
  if (provider === 'slack') {
    const workspace = options.workspace === undefined ? {} : { workspace_id: options.workspace };
    return { provider, ...status, ...workspace, ...(secret === undefined ? {} : { bot_token: secret }) };
  }
  if (provider === 'pager_duty')
    return { provider, ...status, ...(secret !== undefined && { integration_key: secret }) };
  const scheme = options.scheme ?? found.auth?.scheme ?? 'bearer';
  const header = options.header ?? found.auth?.name;
  return {
    provider,
    ...status,
    ...(options.origin === undefined ? {} : { origin: options.origin }),
    ...(secret === undefined
      ? {}
      : { auth: toAuth({ ...options, scheme, ...(header === undefined ? {} : { header }) }, secret) }),
  };
}

function toAuth(
  { scheme, header, username }: FieldOptions & { readonly scheme: NonNullable<FieldOptions['scheme']> },
  secret: string,
): Extract<ConnectionCreate, { provider: 'http' }>['auth'] {
  if (scheme === 'bearer') return { scheme, token: secret };
  if (scheme === 'header') return { scheme, name: required(header, '--header'), value: secret };
  return { scheme, username: required(username, '--username'), password: secret };
}

function required<Value>(value: Value | undefined, option: string): Value {
  if (value !== undefined) return value;
  throw new UsageError(`${option} is needed here`);
}

async function find(client: Client, wanted: string): Promise<ConnectionView> {
  const listed = await client.listConnections();
  const [found, ...others] = listed.filter(({ connection_id, name }) => connection_id === wanted || name === wanted);
  if (found === undefined) throw new UsageError(`no connection ${printable(wanted)}`);
  if (others.length > 0) throw new UsageError(`several connections ${printable(wanted)}: give the id`);
  return found;
}

function lineOf({ connection_id, name, provider, status, origin, workspace_id }: ConnectionView): string {
  const where = origin ?? workspace_id ?? '';
  return `${connection_id}  ${provider.padEnd(10)}  ${status.padEnd(8)}  ${printable(name)}  ${printable(where)}`.trimEnd();
}
