import type { Command } from 'commander';
import { formatCardRef } from '#contract/cards/reference.ts';
import { connect, type GlobalOptions, progress, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { isError } from '../load/issue.ts';
import { countOf, issueLines } from '../output/issue-lines.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** `touchstone apply PATH`: declares the Cards of a path, one declaration a root. */
export function addApplyCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('apply')
    .argument('<path>', 'a Card file, or a folder of them')
    .description('declare Cards; what exists unchanged stays as it is')
    .action(async (path: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await connect(terminal, options);
      const { checkPath } = await import('../check/check-path.ts');
      const checked = await checkPath(path, terminal.workingFolder);
      terminal.err(issueLines(checked.issues, terminal.paintErr));
      if (!checked.isGood) {
        const errors = checked.issues.filter(isError).length;
        throw new UsageError(
          errors === 0 ? `${path}: no Card was found` : `${countOf(errors, 'error')}; nothing was declared`,
        );
      }
      const answers = [];
      for (const { root, cards } of checked.declarations) {
        progress(terminal, options, `declaring ${countOf(cards.length, 'Card')} of ${root.document.file}`);
        const answer = await client.declare(cards.map(({ card }) => card));
        answers.push(answer);
        if (options.json) continue;
        for (const { card_ref, outcome } of answer.outcomes) {
          terminal.out(`${outcome.padEnd(15)} ${printable(formatCardRef(card_ref))}\n`);
        }
      }
      if (options.json) writeJson(terminal, { declarations: answers });
      end(exitCodes.passed);
    });
}
