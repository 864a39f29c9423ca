import { isCardKind } from '#contract/cards/kinds.ts';
import { isUuidV7, slotPattern } from '#contract/ids.ts';
import { type Statement, statementSchema } from '#contract/record.ts';
import type { Client, ExportedRecord } from '#sdk/index.ts';
import { bundleReadme } from './bundle-readme.ts';

/** Files of a bundle by their path in it. */
export type Bundle = ReadonlyMap<string, string | Uint8Array>;

export interface Gathered {
  readonly files: Bundle;
  /** What the service no longer has, or may not show, one sentence each. */
  readonly missing: readonly string[];
}

/** Everything that a stranger needs to check one record: itself, its proof, and what its digests are of. */
export async function gatherBundle(client: Client, executionId: string): Promise<Gathered> {
  const files = new Map<string, string | Uint8Array>();
  const missing: string[] = [];
  const exported = await provenRecord(client, executionId);
  const { keys: _keys, ...record } = exported;
  const statement = statementOf(exported);
  files.set('record.json', json(record));
  files.set('keys.json', json(await client.getKeys()));
  if (exported.inclusion === undefined) missing.push('No checkpoint holds the record yet.');
  const gathering: Gathering = { client, files, missing };
  await addResult(gathering, executionId, statement);
  await addCards(gathering, statement);
  files.set('README.md', bundleReadme(statement, missing));
  return { files, missing };
}

interface Gathering {
  readonly client: Client;
  readonly files: Map<string, string | Uint8Array>;
  readonly missing: string[];
}

/** With its place in the log: where no checkpoint has it yet, one is asked for. */
async function provenRecord(client: Client, executionId: string): Promise<ExportedRecord> {
  const found = await client.getRecord(executionId);
  if (found.inclusion !== undefined) return found;
  try {
    await client.closeCheckpoint();
  } catch {
    // It may not be this caller's to ask; the record is worth as much without.
    return found;
  }
  return client.getRecord(executionId);
}

function statementOf({ record }: ExportedRecord): Statement {
  return statementSchema.parse(JSON.parse(Buffer.from(record.envelope.payload, 'base64').toString('utf8')));
}

async function addResult({ client, files, missing }: Gathering, executionId: string, statement: Statement) {
  const state = await client.getExecution(executionId).catch(() => undefined);
  const result = state?.result;
  if (result === undefined) {
    missing.push('The result is no longer held: its retention time ended, or it was erased.');
    return;
  }
  files.set('result.json', json(result));
  for (const { name } of statement.subject.slice(1)) {
    const slot = name.slice('input/'.length);
    // Names of files come from the service: nothing else than its own grammar becomes one.
    if (!slotPattern.test(slot)) continue;
    const shown = Object.hasOwn(result.outcome.evidence, slot) ? result.outcome.evidence[slot] : undefined;
    if (typeof shown === 'object' && shown !== null && 'kind' in shown && shown.kind === 'json' && 'value' in shown) {
      files.set(`evidence/${slot}.json`, json(shown.value));
      continue;
    }
    try {
      files.set(`evidence/${slot}.bin`, await client.getInputFile(executionId, slot));
    } catch {
      missing.push(`The evidence of ${slot} is not held, or not shown.`);
    }
  }
}

interface Wanted {
  readonly kind: string;
  readonly uid?: string | undefined;
  readonly name: string;
}

/** The two Cards of the record and all that they name, with their files. */
async function addCards({ client, files, missing }: Gathering, { predicate }: Statement): Promise<void> {
  const waiting: Wanted[] = [predicate.verifier, predicate.subject];
  const seen = new Set<string>();
  for (let wanted = waiting.pop(); wanted !== undefined; wanted = waiting.pop()) {
    const { kind, uid, name } = wanted;
    if (uid === undefined || !isUuidV7(uid) || !isCardKind(kind) || seen.has(uid)) continue;
    seen.add(uid);
    try {
      const answer = await client.getCard(kind, uid);
      const artifacts = await client.listCardFiles(uid);
      files.set(`cards/${kind}-${uid}.json`, json({ ...answer, ...(artifacts.length > 0 && { artifacts }) }));
      for (const [position, { relative_path }] of artifacts.entries()) {
        files.set(`evidence/files/${uid}-${position}`, await client.getCardFile({ uid }, relative_path));
      }
      waiting.push(...referencesOf(answer));
    } catch {
      missing.push(`The ${kind} ${name} cannot be read here.`);
    }
  }
}

function referencesOf({ card }: Awaited<ReturnType<Client['getCard']>>): readonly Wanted[] {
  const { relationships } = card as {
    readonly relationships?: { readonly outbound_refs?: readonly { ref: Wanted }[] };
  };
  return (relationships?.outbound_refs ?? []).map(({ ref }) => ref);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
