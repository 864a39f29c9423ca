import { z } from 'zod';
import { cardFileSchema, judgedKinds } from '#contract/cards/index.ts';

const made = new Map<string, unknown>();

/** The JSON Schema of a Card file, by `<kind>.json` in lower case; for editors (docs/spec/wire.md §10). */
export function schemaDocument(file: string): unknown {
  const known = made.get(file);
  if (known !== undefined) return known;
  const kind = judgedKinds.find((candidate) => `${candidate.toLowerCase()}.json` === file.toLowerCase());
  if (!kind) return undefined;
  const document = z.toJSONSchema(cardFileSchema(kind), { io: 'input', unrepresentable: 'any' });
  made.set(file, document);
  return document;
}
