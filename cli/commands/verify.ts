import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { JsonObject } from '#contract/json.ts';
import type { VerificationResult } from '#contract/result.ts';
import { connect, type GlobalOptions, progress, writeJson } from '../context.ts';
import type { BuiltInput } from '../evidence/build-inputs.ts';
import { citedText, heldEvidence } from '../evidence/cited-text.ts';
import { chooseTarget } from '../evidence/choose-target.ts';
import { parseSlots } from '../evidence/parse-slots.ts';
import { sendEvidence } from '../evidence/send-evidence.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { countOf } from '../output/issue-lines.ts';
import { junitXml } from '../output/junit.ts';
import { verdictTree } from '../output/verdict-tree.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface VerifyOptions extends GlobalOptions {
  readonly slot: readonly string[];
  readonly subject?: string;
  readonly junit?: string;
  readonly runId?: string;
}

/** `touchstone verify NAME --slot …`: judges evidence now and ends with the verdict's exit code. */
export function addVerifyCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('verify')
    .argument('<verifier>', 'name, name@version or uid of a declared Verifier')
    .description('judge evidence now')
    .option('-s, --slot <name=value>', 'evidence of one slot; name=@file reads a file', collect, [])
    .option('--subject <name>', 'what is judged: name, component alias or uid; needed when the Verifier is bound twice')
    .option('--junit <file>', 'also write the result as JUnit XML')
    .option('--run-id <id>', 'the run that the evidence comes from')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      const slots = parseSlots(options.slot);
      const client = await connect(terminal, options);
      const target = await chooseTarget(client, name, options.subject);
      const { card } = await client.getCard('Verifier', target.verifierUid);
      const { buildInputs } = await import('../evidence/build-inputs.ts');
      const built = await buildInputs(slots, inputsOf(card.spec), terminal.workingFolder);
      const files = built.filter(({ input }) => input.kind === 'upload').length;
      if (files > 0) progress(terminal, options, `sending ${countOf(files, 'file')}`);
      const inputs = await sendEvidence(client, built);
      progress(terminal, options, `judging ${name}`);
      const result = await client.execute({
        verifier_card_uid: target.verifierUid,
        card_uid: target.subjectUid,
        inputs,
        ...(options.runId !== undefined && { run_id: options.runId }),
      });
      await report(terminal, options, result, built);
      end(exitCodeOf[result.outcome.verdict]);
    });
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function inputsOf(spec: JsonObject): JsonObject {
  const { inputs } = spec;
  return inputs !== undefined && isJsonObject(inputs) ? inputs : {};
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
