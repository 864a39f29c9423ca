import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { judgedKinds } from '#contract/cards/index.ts';
import type { JsonObject } from '#contract/json.ts';
import { compileSchema, validate } from '#engine/values/schema.ts';
import { cardJsonSchema } from '../../scripts/generate/card-schemas.ts';
import { generatedFiles } from '../../scripts/generate/files.ts';

const root = new URL('../../', import.meta.url);

function violations(card: JsonObject): number {
  const compiled = compileSchema(cardJsonSchema(card.kind as (typeof judgedKinds)[number]));
  if (!compiled.ok) throw new Error(`${compiled.message} at ${compiled.pointer}`);
  return validate(compiled.schema, card).length;
}

const [desk] = parse(readFileSync(new URL('test/conformance/verification/seed-support-desk.yaml', root), 'utf8')) as {
  given: { files: Record<string, JsonObject> };
}[];
const files = Object.entries(desk?.given.files ?? {});

describe('generated files', () => {
  it.each(generatedFiles().map(({ path, content }) => [path, content]))(
    '%s is up to date: npm run generate',
    (path, content) => {
      expect(readFileSync(new URL(path, root), 'utf8')).toBe(content);
    },
  );
});

describe('JSON Schemas of Card files', () => {
  it.each(judgedKinds)('%s is a schema that compiles', (kind) => {
    expect(compileSchema(cardJsonSchema(kind))).toMatchObject({ ok: true });
  });

  it.each(files)('accepts %s', (_, card) => {
    expect(violations(card)).toBe(0);
  });

  it.each(files)('refuses %s with a key that is not there', (_, card) => {
    expect(violations({ ...card, spec: { ...(card.spec as JsonObject), mistyped: 1 } })).toBeGreaterThan(0);
  });

  it('knows the operators and their parameters', () => {
    const check = (operator: unknown) =>
      violations({
        apiVersion: 'wyrd/v1',
        kind: 'Verifier',
        metadata: { name: 'tone' },
        spec: {
          requirements: [
            { id: 'r', statement: 's', check: { kind: 'assert', path: 'inputs.a', operator } as JsonObject },
          ],
        },
      });
    expect(check('equals')).toBe(0);
    expect(check({ kind: 'length', expected: 1 })).toBe(0);
    expect(check('like')).toBeGreaterThan(0);
    expect(check('length')).toBeGreaterThan(0);
    expect(check({ kind: 'length', expected: -1 })).toBeGreaterThan(0);
  });
});
