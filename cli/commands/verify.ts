import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { VerificationResult } from '#contract/result.ts';
import { connect, progress, writeJson } from '../context.ts';
import type { BuiltInput } from '../evidence/build-inputs.ts';
import { citedText, heldEvidence } from '../evidence/cited-text.ts';
import { addRequestOptions, makeRequest, type RequestOptions } from '../evidence/make-request.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { junitXml } from '../output/junit.ts';
import { verdictTree } from '../output/verdict-tree.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface VerifyOptions extends RequestOptions {
  readonly junit?: string;
}

/** `touchstone verify NAME --slot …`: judges evidence now and ends with the verdict's exit code. */
export function addVerifyCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  addRequestOptions(program.command('verify'))
    .description('judge evidence now')
    .option('--junit <file>', 'also write the result as JUnit XML')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      const client = await connect(terminal, options);
      const { request, built } = await makeRequest(terminal, client, name, options);
      progress(terminal, options, `judging ${name}`);
      const result = await client.execute(request);
      await report(terminal, options, result, built);
      end(exitCodeOf[result.outcome.verdict]);
    });
}

async function report(
  terminal: Terminal,
  options: VerifyOptions,
  result: VerificationResult,
  built: readonly BuiltInput[],
): Promise<void> {
  if (options.junit !== undefined) {
    await writeFile(resolve(terminal.workingFolder, options.junit), junitXml(result)).catch((error: unknown) => {
      throw new UsageError(`--junit ${options.junit}: cannot be written`, { cause: error });
    });
  }
  if (options.json) return writeJson(terminal, result);
  const tree = verdictTree(result, citedText(heldEvidence(built)), terminal.paintOut);
  terminal.out(`${tree}${terminal.paintOut('dim', `execution ${result.execution_id}`)}\n`);
}
