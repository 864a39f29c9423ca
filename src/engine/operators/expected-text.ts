import { normalizeText } from './normalize-text.ts';

/**
 * What is worked out of an expected text. The items of an `each` come one after another with the same text, which may be
 * as long as a Card, so the last answer is kept.
 */
export const lowerExpected = keepingLast((text) => text.toLowerCase());
export const nfkcExpected = keepingLast((text) => normalizeText('nfkc', text));
export const visibleExpected = keepingLast((text) => normalizeText('visible', text));

function keepingLast(make: (text: string) => string): (text: string) => string {
  let last: { readonly text: string; readonly made: string } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) };
    return last.made;
  };
}
