import type { JsonObject } from '#contract/json.ts';
import { card, desk, sibling } from './embedded-host.ts';

const turnSpec: JsonObject = {
  inputs: { turn: { type: 'json' } },
  requirements: [
    {
      id: 'polite',
      statement: 'The turn is polite',
      check: { kind: 'assert', path: 'inputs.turn', operator: 'not_contains', expected: 'shut up' },
    },
  ],
};

const conversationSpec: JsonObject = {
  inputs: { turns: 'verifiers.turn-check.inputs.turn', marks: 'verifiers.turn-check.requirements.polite.outcome' },
  requirements: [
    {
      id: 'all-polite',
      statement: 'Every turn was polite',
      check: { kind: 'assert', each: 'inputs.marks', operator: 'equals', expected: 'passed' },
    },
  ],
};

/** Turns are judged one by one, and their conversation a second after the last of them. */
export function conversationDesk(more: JsonObject = {}): readonly JsonObject[] {
  const [prompt, agent] = desk();
  const group = {
    verifier: sibling('Verifier', 'conversation-check'),
    runs_on: { kind: 'group_end', after: '1s' },
    ...more,
  };
  const component = {
    alias: 'agent',
    ref: sibling('Agent', 'desk-agent'),
    verified_by: [{ verifier: sibling('Verifier', 'turn-check') }, group],
  };
  return [
    prompt as JsonObject,
    agent as JsonObject,
    card('Verifier', 'turn-check', turnSpec),
    card('Verifier', 'conversation-check', conversationSpec),
    card('Service', 'desk', { components: [component] }),
  ];
}
