import type { Command } from 'commander';
import { isUuidV7 } from '#contract/ids.ts';
import { connect, type GlobalOptions, progress, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { reportText } from '../output/report-text.ts';
import { withMaterial } from '../record/bundle-material.ts';
import type { MaterialOptions } from '../record/read-material.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface RecordOptions extends GlobalOptions, MaterialOptions {}

/** docs/spec/records.md §4: the same numbers as of verdicts, for the same reasons. */
const codes = { valid: exitCodes.passed, invalid: exitCodes.failed, undecidable: exitCodes.inconclusive } as const;

/** `touchstone record verify FILE`, the offline check; `touchstone record export ID`, what it needs. */
export function addRecordCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const record = program.command('record').description('signed records of what was judged');
  addExport(record, terminal, end);
  record
    .command('verify')
    .argument('<file>', 'the record, as the service answers it; or a folder or .tar that `record export` wrote')
    .description('check a record without a service: 0 valid, 1 invalid, 2 undecidable')
    .option('--keys <file>', 'the public keys, kept from /.well-known/touchstone/keys.json')
    .option('--result <file>', 'the result document that was signed')
    .option('--evidence <folder>', 'the evidence, by whatever names')
    .option('--cards <folder>', 'the Cards as the service answers them, JSON files')
    .option('--checkpoint <file>', 'an inclusion, a checkpoint kept elsewhere, or two with the proof between them')
    .action(async (file: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<RecordOptions>();
      const [{ readMaterial }, { checkRecord }, { repeatWork }] = await Promise.all([
        import('../record/read-material.ts'),
        import('#sdk/record.ts'),
        import('#local/repeat-work.ts'),
      ]);
      const material = await withMaterial(file, options, terminal, (held) =>
        readMaterial(held.file, held.options, terminal.workingFolder),
      );
      const read = checkRecord(material);
      // Code of a record that no trusted key signed is a stranger's: it is not run.
      const isTrusted = read.steps.form === 'valid' && read.steps.signature === 'valid';
      const repeated = isTrusted ? await repeatWork(material, (text) => progress(terminal, options, text)) : new Map();
      const report = repeated.size === 0 ? read : checkRecord({ ...material, repeated });
      if (options.json) writeJson(terminal, report);
      else terminal.out(reportText(report, terminal));
      end(codes[report.result]);
    });
}

function addExport(record: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  record
    .command('export')
    .argument('<execution>', 'the id of the execution')
    .requiredOption('--out <path>', 'a folder that is not there yet, or a file that ends with .tar')
    .description('write a record and all that is needed to check it, for somebody else')
    .action(async (execution: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly out: string }>();
      const [{ gatherBundle }, { writeBundle }, { resolve }] = await Promise.all([
        import('../record/gather-bundle.ts'),
        import('../record/write-bundle.ts'),
        import('node:path'),
      ]);
      if (!isUuidV7(execution)) throw new UsageError(`${execution}: not the id of an execution`);
      const { files, missing } = await gatherBundle(await connect(terminal, options), execution);
      await writeBundle(resolve(terminal.workingFolder, options.out), files);
      if (options.json) writeJson(terminal, { out: options.out, files: [...files.keys()], missing });
      else
        for (const text of [`${files.size} files in ${options.out}`, ...missing]) terminal.err(`${printable(text)}\n`);
      end(exitCodes.passed);
    });
}
