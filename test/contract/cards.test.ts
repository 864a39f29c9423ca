import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { envelopeSchemas } from '#contract/cards/envelope.ts';
import { cardFileSchema, type JudgedKind } from '#contract/cards/index.ts';

interface DeskCase {
  readonly id: string;
  readonly given: { readonly files: Record<string, { kind: JudgedKind }> };
}

const desk = parse(
  readFileSync(new URL('../conformance/verification/seed-support-desk.yaml', import.meta.url), 'utf8'),
) as DeskCase[];

const card = (metadata: object) => ({ apiVersion: 'wyrd/v1', kind: 'Policy', metadata, spec: { anything: [1] } });

describe('Card files', () => {
  it.each(Object.entries(desk[0]?.given.files ?? {}))('reads %s with its file references', (_, file) => {
    expect(cardFileSchema(file.kind).safeParse(file)).toMatchObject({ success: true });
  });

  it('keeps the dialects apart: flat has no space', () => {
    expect(envelopeSchemas.spaced.safeParse(card({ name: 'rules', space: 'desk' })).success).toBe(true);
    expect(envelopeSchemas.flat.safeParse(card({ name: 'rules', space: 'desk' })).success).toBe(false);
    expect(envelopeSchemas.flat.safeParse(card({ name: 'rules' })).success).toBe(true);
  });

  it('takes every registrable kind, and no other', () => {
    expect(envelopeSchemas.flat.safeParse({ ...card({ name: 'rules' }), kind: 'External' }).success).toBe(false);
    expect(envelopeSchemas.flat.safeParse({ ...card({ name: 'rules' }), spec: [] }).success).toBe(false);
  });

  it('is closed where a misspelt name would silently verify nothing', () => {
    const service = cardFileSchema('Service');
    const of = (spec: object) => service.safeParse({ ...card({ name: 'desk' }), kind: 'Service', spec }).success;
    expect(of({ verified_by: [], components: [] })).toBe(true);
    expect(of({ verifed_by: [] })).toBe(false);
    expect(of({ components: [{ alias: 'a', ref: './a.yaml', verifiedby: [] }] })).toBe(false);
  });

  it('ignores unknown keys of run_config only', () => {
    const agent = cardFileSchema('Agent');
    const of = (more: object) =>
      agent.safeParse({
        ...card({ name: 'judge' }),
        kind: 'Agent',
        spec: { prompt: './p.yaml', execution_route: { kind: 'native' }, ...more },
      }).success;
    expect(of({ run_config: { max_iterations: 1, whatever: true } })).toBe(true);
    expect(of({ run_config: { max_iterations: 0 } })).toBe(false);
    expect(of({ whatever: true })).toBe(false);
  });
});
