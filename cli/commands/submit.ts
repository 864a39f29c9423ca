import { type Command, InvalidArgumentError } from 'commander';
import type { ExecutionState } from '#sdk/index.ts';
import { connect, progress, writeJson } from '../context.ts';
import { addRequestOptions, makeRequest, type RequestOptions } from '../evidence/make-request.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { stateText } from '../output/state-text.ts';
import type { Terminal } from '../terminal.ts';

interface SubmitOptions extends RequestOptions {
  readonly wait?: number;
}

/** `touchstone submit NAME --slot …`: judges in the background; with `--wait` ends with the verdict's exit code. */
export function addSubmitCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  addRequestOptions(program.command('submit'))
    .description('judge evidence in the background')
    .option('--wait <seconds>', 'wait so long for the verdict', toSeconds)
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<SubmitOptions>();
      const client = await connect(terminal, options);
      const { request } = await makeRequest(terminal, client, name, options);
      const enqueued = await client.enqueue(request);
      if (options.wait === undefined) {
        if (options.json) writeJson(terminal, enqueued);
        else terminal.out(`${enqueued.execution_id}\n`);
        return end(exitCodes.passed);
      }
      progress(terminal, options, `waiting for ${enqueued.execution_id}`);
      const state = await client.waitForExecution(enqueued.execution_id, { timeoutMs: options.wait * 1_000 });
      if (options.json) writeJson(terminal, state);
      else terminal.out(stateText(state, terminal));
      end(exitCodeOfState(state));
    });
}

function toSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1) throw new InvalidArgumentError('write a number of seconds');
  return seconds;
}

/** An execution without a verdict is the service's failure, unless somebody cancelled it. */
function exitCodeOfState({ status, result }: ExecutionState): ExitCode {
  if (result !== undefined) return exitCodeOf[result.outcome.verdict];
  return status === 'cancelled' ? exitCodes.refused : exitCodes.serviceError;
}
