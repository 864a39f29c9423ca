import { expect } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import type { Expectation } from './conformance-case.ts';
import type { ModelServer } from './model-server.ts';

/** Compares what reached the model server with what a case names of it. */
export function expectPrompts(expected: Expectation | undefined, models: ModelServer): void {
  for (const [agent, calls] of Object.entries(expected?.judge_calls ?? {}))
    expect(models.requests(agent)).toHaveLength(calls);
  for (const [agent, texts] of Object.entries(expected?.prompt_contains ?? {})) {
    const prompt = models.requests(agent).map(textsOf).join('\n');
    for (const text of texts) expect(prompt).toContain(text);
  }
  for (const [agent, texts] of Object.entries(expected?.prompt_lacks ?? {})) {
    const sent = JSON.stringify(models.requests(agent));
    for (const text of texts) expect(sent).not.toContain(text);
  }
  for (const [agent, slots] of Object.entries(expected?.slot_enum ?? {})) {
    expect(JSON.stringify(models.requests(agent))).toContain(`"enum":${JSON.stringify(slots)}`);
  }
}

function textsOf(request: JsonObject): string {
  const messages = request.messages as readonly JsonObject[];
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n');
}
