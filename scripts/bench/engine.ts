import type { JsonObject } from '#contract/json.ts';
import { begin, compile, conclude } from '#engine/index.ts';
import type { Verifier } from '#engine/plan.ts';

/** 2 KB of JSON, as an agent's answer is. */
export const evidence: JsonObject = {
  ticket: {
    id: 'T-1042',
    status: 'open',
    priority: 2,
    tags: ['refund', 'damaged', 'priority'],
    owner: { name: 'Ana', team: 'returns' },
  },
  answer: {
    text: `Thank you for writing. ${'We looked at your order and the photographs you sent. '.repeat(14)}`,
    tokens: 412,
    language: 'en',
  },
  items: Array.from({ length: 10 }, (_, position) => ({
    sku: `SKU-${position}`,
    price: 10 + position,
    quantity: position + 1,
    returned: false,
  })),
  score: 0.93,
};

const checks: readonly JsonObject[] = [
  { path: 'inputs.doc.ticket.status', operator: 'equals', expected: 'open' },
  { path: 'inputs.doc.answer.text', operator: 'not_contains', expected: 'guarantee' },
  { path: 'inputs.doc.answer.text', operator: { kind: 'has_max_length', max: 4000 } },
  { path: 'inputs.doc.score', operator: { kind: 'in_range', min: 0, max: 1, inclusive: true } },
  { path: 'inputs.doc.ticket.priority', operator: 'in', expected: [1, 2, 3] },
  { each: 'inputs.doc.items[*].price', operator: 'greater_than', expected: 0 },
  { path: 'inputs.doc.ticket.tags', operator: 'all_of', expected: ['refund'] },
  { path: 'inputs.doc.items', operator: { kind: 'length_less_than', max: 50 } },
  { path: 'inputs.doc.ticket.id', operator: { kind: 'matches_regex', pattern: '^T-[0-9]+$' } },
  { path: 'inputs.doc.answer.language', operator: 'is_non_empty' },
];

export const spec: JsonObject = {
  inputs: { doc: { type: 'json' } },
  requirements: checks.map((check, position) => ({
    id: `r${position}`,
    statement: `Requirement ${position}`,
    check: { kind: 'assert', ...check },
  })),
};

export function declare(): Verifier {
  const compiled = compile({ api: 'wyrd/v1', spec, dialect: 'flat', references: { card: () => undefined } });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  return compiled.verifier;
}

export function verify(verifier: Verifier) {
  return conclude(
    begin(verifier, { started_at: '2026-05-04T08:00:00Z', inputs: { doc: { kind: 'json', value: evidence } } }),
  );
}
