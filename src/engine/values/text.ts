/**
 * Length of a text in Unicode scalar values (docs/spec/verification.md §7.1). Text is well-formed, so a low surrogate is
 * always the second unit of one value.
 */
export function scalarCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit <= 0xdfff) count -= 1;
  }
  return count;
}
