import type { Command } from 'commander';
import { type GlobalOptions, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { isError } from '../load/issue.ts';
import { countOf, issueLines } from '../output/issue-lines.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** `touchstone check PATH`: everything that is wrong with Card files, without a service. */
export function addCheckCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('check')
    .argument('<path>', 'a Card file, or a folder of them')
    .description('check Card files without a service: every mistake with its line')
    .action(async (path: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { checkPath } = await import('../check/check-path.ts');
      const { cards, issues, isGood } = await checkPath(path, terminal.workingFolder);
      if (options.json) writeJson(terminal, { cards, issues });
      else terminal.out(issueLines(issues, terminal.paintOut));
      if (cards === 0 && issues.length === 0) throw new UsageError(`${path}: no Card was found`);
      const errors = issues.filter(isError).length;
      const summary = `${countOf(cards, 'Card')}, ${countOf(errors, 'error')}, ${countOf(issues.length - errors, 'warning')}`;
      if (!options.json) terminal.err(`${summary}\n`);
      end(isGood ? exitCodes.passed : exitCodes.refused);
    });
}
