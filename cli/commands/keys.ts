import { type Command, Option } from 'commander';
import type { KeyFolder, KeyView } from '#local/api-keys.ts';
import { type GlobalOptions, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface KeysOptions extends GlobalOptions {
  readonly data?: string;
  readonly tenant: string;
}

interface CreateOptions extends KeysOptions {
  readonly name: string;
  readonly role: Parameters<KeyFolder['create']>[0]['role'];
}

/** `touchstone keys …`: the API keys of a data folder, whether a host has it open or not. */
export function addKeysCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const keys = program
    .command('keys')
    .description(
      'API keys of a data folder, and the key that signs its records; with the first API key, only keys open the host',
    );
  const shared = (command: Command) =>
    command
      .option('--data <folder>', 'the data folder (default: TOUCHSTONE_DATA or ./.touchstone)')
      .option('--tenant <slug>', 'whose keys', 'local');
  const use = async <Value>(command: Command, work: (keyFolder: KeyFolder) => Promise<Value>) => {
    const { withKeyFolder } = await import('#local/api-keys.ts');
    const value = await withKeyFolder(dataFolder(terminal, command), work);
    end(exitCodes.passed);
    return value;
  };
  shared(keys.command('create'))
    .description('make a key and print it, this once')
    .option('--name <text>', 'what it is for', 'unnamed')
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['viewer', 'workload', 'editor', 'admin']).default('admin'),
    )
    .action(async (_options: unknown, command: Command) => {
      const { json, tenant, name, role } = command.optsWithGlobals<CreateOptions>();
      const { text, key } = await use(command, (keyFolder) => keyFolder.create({ tenant, name, role }));
      if (json) return writeJson(terminal, { text, key });
      terminal.out(`${text}\n`);
      terminal.err(`key ${key.key_id} (${role}) is shown this once; only its digest is kept\n`);
    });
  shared(keys.command('list'))
    .description('list keys, newest first')
    .action(async (_options: unknown, command: Command) => {
      const { json, tenant } = command.optsWithGlobals<KeysOptions>();
      const listed = await use(command, (keyFolder) => keyFolder.list(tenant));
      if (json) return writeJson(terminal, { keys: listed });
      terminal.out(listed.map((key) => `${keyLine(key)}\n`).join(''));
    });
  shared(keys.command('revoke'))
    .argument('<id>', 'the eight digits that list shows')
    .description('end a key and every token it was exchanged for')
    .action(async (id: string, _options: unknown, command: Command) => {
      const { json, tenant } = command.optsWithGlobals<KeysOptions>();
      await use(command, (keyFolder) => keyFolder.revoke(tenant, id));
      if (json) writeJson(terminal, { revoked: id });
      else terminal.err(`key ${printable(id)} is revoked\n`);
    });
  keys
    .command('rotate')
    .option('--data <folder>', 'the data folder (default: TOUCHSTONE_DATA or ./.touchstone)')
    .description('sign records with a new key from a minute from now on; the old public key stays published')
    .action(async (_options: unknown, command: Command) => {
      const { rotateSigningKeys } = await import('#local/signing-keys.ts');
      const rotated = await rotateSigningKeys(dataFolder(terminal, command)).catch((cause: unknown) => {
        throw new UsageError(cause instanceof Error ? cause.message : 'the keys cannot be read', { cause });
      });
      end(exitCodes.passed);
      if (command.optsWithGlobals<KeysOptions>().json) return writeJson(terminal, rotated);
      terminal.err(`${rotated.kid} signs from ${rotated.valid_from} on\n`);
    });
}

function dataFolder(terminal: Terminal, command: Command): string {
  return command.optsWithGlobals<KeysOptions>().data ?? (terminal.environment.TOUCHSTONE_DATA || './.touchstone');
}

function keyLine({ key_id, role, created_at, revoked_at, name }: KeyView): string {
  const state = revoked_at === null ? 'active' : 'revoked';
  return `${key_id}  ${role.padEnd(8)}  ${state.padEnd(7)}  ${created_at}  ${printable(name)}`;
}
