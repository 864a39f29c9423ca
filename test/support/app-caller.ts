import type { Hono } from 'hono';
import { createKey } from '#service/auth/keys.ts';
import type { Answered, CallOptions, TestHost } from './embedded-host.ts';

/** Text of a new administrator's key. */
export async function adminKey(ports: Parameters<typeof createKey>[0], tenant: string): Promise<string> {
  return (await createKey(ports, { tenant, name: 'test', role: 'admin' })).text;
}

/** Calls of an app in this process with a key, which is exchanged. */
export async function callerOfApp(app: Pick<Hono, 'request'>, key: string): Promise<TestHost['call']> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: key,
    subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
    client_id: 'wyrd-cli',
  });
  const exchanged = await answered(await app.request('/auth/token', { method: 'POST', body: form }));
  const token: string = exchanged.json.access_token;
  return async (method: string, path: string, { body, raw, headers }: CallOptions = {}) => {
    const sent = (raw as BodyInit | undefined) ?? (body === undefined ? undefined : JSON.stringify(body));
    return answered(
      await app.request(path, {
        method,
        headers: { 'content-type': 'application/json', 'x-wyrd-access-token': `Bearer ${token}`, ...headers },
        ...(sent === undefined ? {} : { body: sent }),
      }),
    );
  };
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}
