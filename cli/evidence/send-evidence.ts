import type { Client, SlotInput } from '#sdk/index.ts';
import type { BuiltInput } from './build-inputs.ts';

/** Uploads what are files; the inputs of `execute`, by slot. */
export async function sendEvidence(
  client: Pick<Client, 'uploadEvidence'>,
  built: readonly BuiltInput[],
): Promise<Readonly<Record<string, SlotInput>>> {
  const uploads = built.flatMap(({ slot, input }) => (input.kind === 'upload' ? [{ slot, file: input.file }] : []));
  const sent = await client.uploadEvidence(uploads.map(({ file }) => file));
  const ready = built.flatMap(({ slot, input }) => (input.kind === 'ready' ? [[slot, input.value] as const] : []));
  const files = uploads.flatMap(({ slot }, index) => {
    const value = sent[index];
    return value ? [[slot, value] as const] : [];
  });
  return Object.fromEntries([...ready, ...files]);
}
