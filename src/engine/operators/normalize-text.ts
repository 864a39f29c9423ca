export type Normalization = 'none' | 'nfkc' | 'visible';

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
const whiteSpace = /\p{White_Space}+/gu;

/**
 * Normalises a text as docs/spec/verification.md §17 says. The Unicode tables are the runtime's (17.0 in the pinned Node):
 * another version can judge characters differently that it did not know before.
 */
export function normalizeText(mode: Normalization, text: string): string {
  switch (mode) {
    case 'none':
      return text;
    case 'nfkc':
      return text.normalize('NFKC');
    case 'visible':
      // NFKC can bring forth ignorable characters, so they are removed on both sides of it.
      return text.replace(ignorable, '').normalize('NFKC').replace(ignorable, '').replace(whiteSpace, ' ');
  }
}
