import { judgedKinds } from '#contract/cards/index.ts';
import { cardJsonSchema } from './card-schemas.ts';
import { defectPage, errorPage, operatorPage, reasonPage } from './reference-pages.ts';

export interface GeneratedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/** Every generated file with its content; the same on every machine. */
export function generatedFiles(): readonly GeneratedFile[] {
  const schemas = judgedKinds.map((kind) => ({
    path: `docs/schema/${kind.toLowerCase()}.schema.json`,
    content: `${JSON.stringify(cardJsonSchema(kind), null, 2)}\n`,
  }));
  return [
    ...schemas,
    { path: 'docs/reference/errors.md', content: errorPage() },
    { path: 'docs/reference/reason-codes.md', content: reasonPage() },
    { path: 'docs/reference/operators.md', content: operatorPage() },
    { path: 'docs/reference/record-defects.md', content: defectPage() },
  ];
}
