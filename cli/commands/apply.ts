import type { Command } from 'commander';
import { formatCardRef } from '#contract/cards/reference.ts';
import type { JsonObject } from '#contract/json.ts';
import type { DeclarationAnswer } from '#contract/requests/cards.ts';
import { connect, type GlobalOptions, progress, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { isError } from '../load/issue.ts';
import type { LoadedCard } from '../load/load-cards.ts';
import { maxArtifactBytes } from '../load/manifest.ts';
import { readBytes, readFailures } from '../load/read-text.ts';
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
      const [{ checkPath }, { toSubmissions }] = await Promise.all([
        import('../check/check-path.ts'),
        import('../load/declarations.ts'),
      ]);
      const checked = await checkPath(path, terminal.workingFolder);
      terminal.err(issueLines(checked.issues, terminal.paintErr));
      if (!checked.isGood) {
        const errors = checked.issues.filter(isError).length;
        throw new UsageError(
          errors === 0 ? `${path}: no Card was found` : `${countOf(errors, 'error')}; nothing was declared`,
        );
      }
      const answers: DeclarationAnswer[] = [];
      const declare = async (submissions: readonly JsonObject[], source: LoadedCard) => {
        progress(terminal, options, `declaring ${countOf(submissions.length, 'Card')} of ${source.document.file}`);
        const answer = await client.declare(submissions, { readFile: (path) => readArtifact(source, path) });
        answers.push(answer);
        for (const { card_ref, outcome } of options.json ? [] : answer.outcomes) {
          terminal.out(`${outcome.padEnd(15)} ${printable(formatCardRef(card_ref))}\n`);
        }
      };
      for (const group of checked.declarations) {
        const { withFiles, together } = toSubmissions(group);
        for (const loaded of withFiles) await declare([loaded.card], loaded);
        await declare(together, group.root);
      }
      if (options.json) writeJson(terminal, { declarations: answers });
      end(exitCodes.passed);
    });
}

/** Cards of one declaration other than its root bring no files: they were declared before. */
async function readArtifact({ files }: LoadedCard, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const read = await readBytes(files.get(path) ?? '', maxArtifactBytes);
  if (!read.ok) throw new UsageError(`${path}: ${readFailures[read.reason]}`);
  return read.bytes;
}
