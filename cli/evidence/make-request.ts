import type { Command } from 'commander';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Client, ExecuteRequest } from '#sdk/index.ts';
import { type GlobalOptions, progress } from '../context.ts';
import { countOf } from '../output/issue-lines.ts';
import type { Terminal } from '../terminal.ts';
import type { BuiltInput } from './build-inputs.ts';
import { chooseTarget } from './choose-target.ts';
import { parseSlots } from './parse-slots.ts';
import { sendEvidence } from './send-evidence.ts';

/** What `verify` and `submit` have in common. */
export interface RequestOptions extends GlobalOptions {
  readonly slot: readonly string[];
  readonly subject?: string;
  readonly runId?: string;
}

export function addRequestOptions(command: Command): Command {
  return command
    .argument('<verifier>', 'name, name@version or uid of a declared Verifier')
    .option('-s, --slot <name=value>', 'evidence of one slot; name=@file reads a file', collect, [])
    .option('--subject <name>', 'what is judged: name, component alias or uid; needed when the Verifier is bound twice')
    .option('--run-id <id>', 'the run that the evidence comes from');
}

/** Finds the Verifier and its subject, reads the evidence and sends its files. */
export async function makeRequest(
  terminal: Terminal,
  client: Client,
  name: string,
  options: RequestOptions,
): Promise<{ readonly request: ExecuteRequest; readonly built: readonly BuiltInput[] }> {
  const slots = parseSlots(options.slot);
  const target = await chooseTarget(client, name, options.subject);
  const { card } = await client.getCard('Verifier', target.verifierUid);
  const { buildInputs } = await import('./build-inputs.ts');
  const built = await buildInputs(slots, inputsOf(card.spec), terminal.workingFolder);
  const files = built.filter(({ input }) => input.kind === 'upload').length;
  if (files > 0) progress(terminal, options, `sending ${countOf(files, 'file')}`);
  const request = {
    verifier_card_uid: target.verifierUid,
    card_uid: target.subjectUid,
    inputs: await sendEvidence(client, built),
    ...(options.runId !== undefined && { run_id: options.runId }),
  };
  return { request, built };
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function inputsOf(spec: JsonObject): JsonObject {
  const { inputs } = spec;
  return inputs !== undefined && isJsonObject(inputs) ? inputs : {};
}
