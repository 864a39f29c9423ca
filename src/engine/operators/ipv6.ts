const group = /^[0-9a-fA-F]{1,4}$/;
export const ipv4Pattern =
  /^(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}$/;

/** RFC 4291 §2.2: eight groups, one `::` for at least one of them, the last two perhaps as IPv4. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const gap = text.indexOf('::');
  if (gap === -1) return countGroups(text, true) === 8;
  const head = countGroups(text.slice(0, gap), false);
  const tail = countGroups(text.slice(gap + 2), true);
  return head !== -1 && tail !== -1 && head + tail <= 7;
}

/** Groups in a part; −1 when it is not well-formed. An IPv4 tail counts as two. */
function countGroups(part: string, mayEndInIpv4: boolean): number {
  if (part === '') return 0;
  const groups = part.split(':');
  const last = groups.at(-1) ?? '';
  const endsInIpv4 = mayEndInIpv4 && ipv4Pattern.test(last);
  const hex = endsInIpv4 ? groups.slice(0, -1) : groups;
  if (!hex.every((text) => group.test(text))) return -1;
  return hex.length + (endsInIpv4 ? 2 : 0);
}
