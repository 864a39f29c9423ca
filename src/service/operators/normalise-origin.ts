/**
 * Scheme, lower-case host and a port that is not the scheme's own (docs/spec/wire.md §8). Null for what is no origin: a path,
 * user info, another scheme than https, or http to another host than loopback (docs/spec/background.md §7.3).
 */
export function normaliseOrigin(text: string): string | null {
  if (!/^https?:\/\/[^/?#\\@\s]+\/?$/i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) return null;
  return url.origin;
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
