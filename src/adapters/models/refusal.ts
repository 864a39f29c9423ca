/**
 * Whether a provider's own body says that the model refused. The library hands a refusal on as text, which could be
 * taken for an answer. Untrusted: any JSON.
 */
export function isRefusal(body: unknown): boolean {
  if (at(body, 'stop_reason') === 'refusal' || at(body, 'stopReason') === 'refusal') return true;
  const choices = at(body, 'choices');
  const refusal = at(at(Array.isArray(choices) ? choices[0] : undefined, 'message'), 'refusal');
  return typeof refusal === 'string' && refusal !== '';
}

function at(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
