/** Kinds that can be declared (docs/spec/wire.md §4.9). */
export const cardKinds = [
  'Data',
  'Model',
  'Experiment',
  'Prompt',
  'Agent',
  'Verifier',
  'Service',
  'Policy',
  'Mcp',
  'Audit',
  'Artifact',
  'Trigger',
  'Operator',
  'Source',
] as const;

export type CardKind = (typeof cardKinds)[number];

/** Kinds whose specs are judged in full; of the others only that the spec is an object. */
export const judgedKinds = [
  'Verifier',
  'Agent',
  'Prompt',
  'Service',
  'Trigger',
  'Operator',
  'Data',
  'Artifact',
] as const satisfies readonly CardKind[];

export type JudgedKind = (typeof judgedKinds)[number];

export function isCardKind(text: string): text is CardKind {
  return (cardKinds as readonly string[]).includes(text);
}
