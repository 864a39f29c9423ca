import { Command } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { addApplyCommand } from './commands/apply.ts';
import { addCheckCommand } from './commands/check.ts';
import { addConnectionsCommand } from './commands/connections.ts';
import { addDriftCommand } from './commands/drift.ts';
import { addExecutionsCommand } from './commands/executions.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addRecordCommand } from './commands/record.ts';
import { addRelayCommand } from './commands/relay.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSubmitCommand } from './commands/submit.ts';
import { addVerifyCommand } from './commands/verify.ts';
import type { GlobalOptions } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command line, without the program's own name, and says which code the process ends with. */
export async function runCli(terminal: Terminal, words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCodes.refused;
  const program = buildProgram(terminal, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return code;
  } catch (error) {
    // A line that could not be read has no options, so the word itself counts.
    const isJson = program.opts<GlobalOptions>().json === true || words.includes('--json');
    return reportFailure(terminal, error, isJson);
  }
}

function buildProgram(terminal: Terminal, end: (code: ExitCode) => void): Command {
  const program = new Command('touchstone')
    .description('Verifies the work of AI agents: requirements and evidence in; passed, failed or inconclusive out.')
    .version(packageFile.version)
    .option('--url <url>', 'the service (default: TOUCHSTONE_URL or http://127.0.0.1:8787)')
    .option('--json', 'print data only')
    .option('--progress', 'say what is going on, also when nobody watches')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('(touchstone --help shows what there is)')
    .addHelpText('after', help);
  for (const add of [
    addCheckCommand,
    addApplyCommand,
    addVerifyCommand,
    addSubmitCommand,
    addExecutionsCommand,
    addServeCommand,
    addKeysCommand,
    addConnectionsCommand,
    addDriftCommand,
    addRelayCommand,
    addRecordCommand,
  ]) {
    add(program, terminal, end);
  }
  return program;
}

const help = `
Exit codes: 0 passed, 1 failed, 2 inconclusive, 3 refused or wrong usage, 4 the service could not answer.
The API key is read from TOUCHSTONE_API_KEY; a host without keys needs none.`;
