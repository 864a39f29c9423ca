import { expect } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { call, card, declare, sibling, unique } from './target.ts';

/** Answers what `read` gives as soon as it is accepted. */
export async function until<Value>(read: () => Promise<Value>, accept: (value: Value) => boolean, seconds: number) {
  for (const end = Date.now() + seconds * 1_000; ; ) {
    const value = await read();
    if (accept(value)) return value;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

export async function declared(cards: readonly JsonObject[]): Promise<(name: string) => string> {
  const answer = await declare(cards);
  expect(answer.status, answer.text).toBe(201);
  const outcomes: readonly { card_ref: { name: string; uid: string } }[] = answer.json.outcomes;
  return (name) => outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid ?? '';
}

/** An Agent, whose Service binds these Verifiers to it. */
export function deskOf(service: string, agent: string, verified_by: readonly JsonObject[]): readonly JsonObject[] {
  const prompt = unique('prompt');
  return [
    card('Prompt', prompt, { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    card('Agent', agent, { prompt: sibling('Prompt', prompt), execution_route: { kind: 'native' } }),
    card('Service', service, { components: [{ alias: 'agent', ref: sibling('Agent', agent), verified_by }] }),
  ];
}

/** Lets what the owner declared run by itself, as its own key's exchange would. Answers the binding's path. */
export async function activate(owner: string, verifier: string): Promise<string> {
  const { items } = (await call('GET', `/v1/verification/bindings?owner=${owner}&verifier=${verifier}`)).json;
  const path = `/v1/verification/bindings/${items[0].binding_id}`;
  const activated = await call('POST', `${path}/activate`);
  expect(activated.json, activated.text).toMatchObject({ active: true });
  return path;
}
