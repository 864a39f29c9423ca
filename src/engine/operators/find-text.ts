/**
 * Substring search that stays linear. The runtime's own search is quick on ordinary text and quadratic on a long needle
 * made for it, so a pair that could take long is searched by Knuth, Morris and Pratt. Both compare UTF-16 units, which
 * for well-formed texts is comparing code points.
 */
export function findsText(text: string, needle: string): boolean {
  if (needle.length < 64 || needle.length * text.length < 4_000_000) return text.includes(needle);
  return needle.length <= text.length && findsLinearly(text, needle);
}

function findsLinearly(text: string, needle: string): boolean {
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    if (matched === needle.length) return true;
  }
  return false;
}

/** For every prefix the length of its longest proper prefix that is also its suffix. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    const unit = needle.charCodeAt(at);
    while (length > 0 && needle.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
    if (needle.charCodeAt(length) === unit) length += 1;
    borders[at] = length;
  }
  return borders;
}
