import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#contract/json.ts';
import { type Compilation, compile } from '#engine/declare/compile.ts';
import { cardsIn, lenientReferences } from './references.ts';

interface Case {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly verifier?: Json;
    readonly cards?: readonly JsonObject[];
    readonly assert?: { readonly operator: Json; readonly expected?: Json };
    readonly evidence?: unknown;
  };
  readonly expect: {
    readonly valid?: true;
    readonly stages?: readonly (readonly string[])[];
    readonly refused?: {
      readonly code: string;
      readonly rule?: string;
      readonly path?: string;
      readonly field?: string;
    };
  };
}

const folder = new URL('../../conformance/verification/', import.meta.url);

function casesOf(url: URL): readonly Case[] {
  return parse(readFileSync(url, 'utf8')) as readonly Case[];
}

function declared(given: Case['given']): Compilation | undefined {
  if (given.verifier !== undefined) {
    return compile({ api: 'wyrd/v1', spec: given.verifier, dialect: 'flat', references: lenientReferences });
  }
  const card = given.cards?.at(-1);
  if (card === undefined) return undefined;
  const api = card.apiVersion === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
  return compile({ api, spec: card.spec ?? null, dialect: 'flat', references: cardsIn(given.cards ?? []) });
}

function firstFinding(compilation: Compilation) {
  return compilation.ok ? undefined : compilation.findings.find((finding) => finding.severity === undefined);
}

for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  const cases = casesOf(new URL(file, folder)).filter(({ given }) => given.verifier ?? given.cards);
  describe.skipIf(cases.length === 0)(file, () => {
    it.each(cases.map((item) => [item.id, item] as const))('%s', (_, { given, expect: expected }) => {
      const compilation = declared(given);
      if (compilation === undefined) throw new Error('the case declares nothing');
      const { refused } = expected;
      if (refused === undefined || given.evidence !== undefined) {
        expect(compilation.ok ? [] : compilation.findings).toEqual([]);
        if (expected.stages) expect(compilation.ok && compilation.verifier.stages).toEqual(expected.stages);
        return;
      }
      const first = firstFinding(compilation);
      expect(first).toMatchObject({ code: refused.code });
      if (refused.rule !== undefined) expect(first?.rule).toBe(refused.rule);
      if (refused.path !== undefined) expect(first?.path).toBe(refused.path);
      if (refused.field !== undefined) expect(first?.path).toBe(refused.field);
    });
  });
}
