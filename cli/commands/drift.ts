import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Sample } from '#sdk/index.ts';
import { connect, type GlobalOptions, writeJson } from '../context.ts';
import { chooseTarget } from '../evidence/choose-target.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { featurePlots, plotText } from '../output/drift-plot.ts';
import { plotSvg } from '../output/drift-svg.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface RecordOptions extends GlobalOptions {
  readonly subject?: string;
  readonly feature?: readonly string[];
}

/** `touchstone drift record|plot`: samples in, baseline against window out (docs/drift.md). */
export function addDriftCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const drift = program.command('drift').description('samples of a window, and how they differ from their baseline');
  drift
    .command('record')
    .argument('<verifier>', 'the Verifier that judges them, as name or name@version')
    .argument('<file>', 'CSV with a heading line; each line is one sample')
    .option('--subject <card>', 'of whom, when the Verifier is bound to more than one')
    .option('--feature <names...>', 'columns to record; all of them unless said otherwise')
    .description('record a file of samples for a Verifier of windows')
    .action(async (verifier: string, file: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<RecordOptions>();
      const client = await connect(terminal, options);
      const { subjectUid } = await chooseTarget(client, verifier, options.subject);
      const samples = await readSamples(resolve(terminal.workingFolder, file), subjectUid, options.feature);
      const accepted = await client.recordSamples(samples);
      if (options.json) writeJson(terminal, accepted);
      else terminal.out(`${samples.length} samples recorded at ${accepted.at(-1)?.ingested_at ?? '-'}\n`);
      end(exitCodes.passed);
    });
  drift
    .command('plot')
    .argument('<execution>', 'id of an execution that judged a window')
    .option('--svg <file>', 'write an SVG picture instead')
    .description('draw baseline against window, feature by feature')
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly svg?: string }>();
      const { result } = await (await connect(terminal, options)).getExecution(id);
      const reports = (result?.outcome.requirements ?? []).flatMap(({ id: requirement, detail }) =>
        detail === undefined ? [] : [{ requirement, plots: featurePlots(detail.drift) }],
      );
      const plots = reports.flatMap((report) => report.plots);
      if (plots.length === 0) throw new UsageError(`execution ${id} scored no feature of a window`);
      if (options.json) writeJson(terminal, reports);
      else if (options.svg !== undefined) await writeFile(resolve(terminal.workingFolder, options.svg), plotSvg(plots));
      else {
        for (const report of reports) {
          terminal.out(`${printable(report.requirement)}\n${plotText(report.plots, terminal.paintOut)}`);
        }
      }
      end(exitCodes.passed);
    });
}

/** Numbers are numbers; everything else is a category. An empty field is a value that is missing. */
async function readSamples(
  file: string,
  subject_card_uid: string,
  wanted: readonly string[] | undefined,
): Promise<readonly Sample[]> {
  const { parse } = await import('csv-parse/sync');
  const rows = parse(await readFile(file), { columns: true, bom: true, skip_empty_lines: true }) as readonly Record<
    string,
    string
  >[];
  const absent = wanted?.find((name) => rows[0] !== undefined && !Object.hasOwn(rows[0], name));
  if (absent !== undefined) throw new UsageError(`${file} has no column ${absent}`);
  if (rows.length === 0) throw new UsageError(`${file} has no lines below its heading`);
  return rows.map((row) => {
    const features = Object.entries(row).filter(([name]) => wanted?.includes(name) ?? true);
    return { subject_card_uid, features: Object.fromEntries(features.map(([name, text]) => [name, fieldValue(text)])) };
  });
}

function fieldValue(text: string): number | string | null {
  if (text === '') return null;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
}
