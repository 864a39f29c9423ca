import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { decodeVerdict } from '#engine/citations/decode-verdict.ts';

const citation = { slot: 'doc', locator: { json_pointer: '' } };
const verdict: JsonObject = { outcome: 'passed', reason: 'r', citations: [citation] };
const plain = { require_quote: false };
const schema: JsonObject = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] };
const nested = (depth: number): JsonObject => (depth <= 1 ? {} : { n: nested(depth - 1) });
const cited = (locator: Json): JsonObject => ({ ...verdict, citations: [{ slot: 'doc', locator }] });

describe('a verdict', () => {
  test.each<[string, Json]>([
    ['text', 'passed'],
    ['null', null],
    ['a list', [verdict]],
    ['nothing', {}],
    ['an unknown member', { ...verdict, extra: 1 }],
    ['another word', { ...verdict, outcome: 'not_applicable' }],
    ['a capital', { ...verdict, outcome: 'Passed' }],
    ['a reason that is no text', { ...verdict, reason: null }],
    ['no citations', { outcome: 'passed', reason: 'r' }],
    ['citations that are no list', { ...verdict, citations: {} }],
    ['a citation without a slot', { ...verdict, citations: [{ locator: { page: 1 } }] }],
    ['a citation with more', { ...verdict, citations: [{ ...citation, note: 'x' }] }],
    ['a quote that was not asked for', { ...verdict, citations: [{ ...citation, quote: 'x' }] }],
    ['two locators in one', cited({ page: 1, slide: 1 })],
    ['an empty locator', cited({})],
    ['an unknown locator', cited({ paragraph: 1 })],
    ['a fractional page', cited({ page: 1.5 })],
    ['a negative page', cited({ page: -1 })],
    ['a page beyond 32 bits', cited({ page: 2 ** 32 })],
    ['lines without an end', cited({ lines: { start: 1 } })],
    ['a region without a width', cited({ region: { page: 1, x: 0, y: 0, height: 1 } })],
    ['a region of text', cited({ region: { page: 1, x: '0', y: 0, width: 1, height: 1 } })],
    ['a pointer that is no text', cited({ json_pointer: 1 })],
    ['over 1,000 citations', { ...verdict, citations: Array.from({ length: 1001 }, () => citation) }],
    ['data that was not declared', { ...verdict, data: {} }],
  ])('with %s is malformed', (_, answer) => {
    expect(decodeVerdict(answer, plain)).toMatchObject({ ok: false, code: 'malformed_verdict' });
  });

  test.each<[string, Json | undefined, string | null]>([
    ['missing', undefined, 'malformed_verdict'],
    ['null', null, 'malformed_verdict'],
    ['of another form', { score: 'high' }, 'malformed_verdict'],
    ['right', { score: 1 }, null],
    ['16 deep', { score: 1, n: nested(15) }, null],
    ['17 deep', { score: 1, n: nested(16) }, 'verdict_data_limit'],
    ['of 65,536 bytes', { score: 1, s: 'x'.repeat(65_536 - 18) }, null],
    ['of 65,537 bytes', { score: 1, s: 'x'.repeat(65_536 - 17) }, 'verdict_data_limit'],
  ])('whose declared data is %s', (_, data, code) => {
    const decoded = decodeVerdict(
      { ...verdict, ...(data !== undefined && { data }) },
      { data: schema, require_quote: false },
    );
    expect(decoded.ok ? null : decoded.code).toBe(code);
  });

  test('with a schema that no longer compiles is malformed', () => {
    const broken = { type: 'object', properties: { a: { pattern: '(' } } };
    expect(decodeVerdict({ ...verdict, data: {} }, { data: broken, require_quote: false })).toMatchObject({
      ok: false,
    });
  });

  test.each(['', 'x'.repeat(1001)])('needs a quote of 1 to 1,000 characters where one is asked for', (quote) => {
    expect(decodeVerdict({ ...verdict, citations: [{ ...citation, quote }] }, { require_quote: true }).ok).toBe(false);
    expect(decodeVerdict(verdict, { require_quote: true }).ok).toBe(false);
    expect(decodeVerdict({ ...verdict, citations: [{ ...citation, quote: 'x' }] }, { require_quote: true }).ok).toBe(
      true,
    );
  });

  test('has its reason cut at a character', () => {
    const decoded = decodeVerdict({ ...verdict, reason: 'ä'.repeat(8193) }, plain);
    expect(decoded).toMatchObject({ ok: true, verdict: { reason: `${'ä'.repeat(8192)}…` } });
  });

  test('never throws, whatever was answered', () => {
    fc.assert(fc.property(fc.jsonValue(), (answer) => typeof decodeVerdict(answer as Json, plain).ok === 'boolean'));
  });
});
