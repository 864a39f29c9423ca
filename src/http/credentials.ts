/**
 * The access token of a request: `x-wyrd-access-token: Bearer …`; `Authorization` only when that header is absent, since
 * in the published client it belongs to the application (docs/spec/wire.md §1.3, §1.4).
 */
export function bearerToken(header: (name: string) => string | null): string | null {
  const text = header('x-wyrd-access-token') ?? header('authorization');
  const [, token] = /^Bearer +([^\s]{1,8192})$/i.exec(text ?? '') ?? [];
  return token ?? null;
}

/** Whether a `Host` header names this machine: what a page that rebinds its DNS name to loopback cannot send. */
export function isLoopbackHost(host: string | null): boolean {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?$/i.exec(host ?? '') ?? [];
  const name = (bracketed ?? plain ?? '').toLowerCase();
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}
