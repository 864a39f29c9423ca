import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { executionStateSchema, verificationResultSchema } from '#contract/requests/verification.ts';
import { call, declareDesk, file, hasModels, json, upload } from './target.ts';
import { codeSpec, documentSpec, judged, tableSpec, toneSpec } from './verifiers.ts';

describe('execute', () => {
  it.each([
    ['a plain answer', json('perhaps'), 'passed'],
    ['a broken promise', json('a sure thing'), 'failed'],
    ['an answer of another type', json(12), 'inconclusive'],
  ])('judges %s', async (_name, answer, verdict) => {
    const desk = await declareDesk(toneSpec);
    const ran = await desk.execute({ answer });
    expect(ran.status).toBe(200);
    expect(ran.json.outcome.verdict).toBe(verdict);
    expect(verificationResultSchema.safeParse(ran.json).error).toBeUndefined();
    const state = await call('GET', `/v1/verification/executions/${ran.json.execution_id}`);
    expect(executionStateSchema.safeParse(state.json).error).toBeUndefined();
    expect(state.text).toContain(`"result":${ran.text}`);
  });

  it('is inconclusive without evidence, and lists what it judged', async () => {
    const desk = await declareDesk(toneSpec);
    const ran = await desk.execute({});
    expect(ran.json.outcome.verdict).toBe('inconclusive');
    const listed = await call('GET', `/v1/verification/executions?verifier=${desk.verifier}`);
    expect(listed.json.items.map(({ execution_id }: { execution_id: string }) => execution_id)).toEqual([
      ran.json.execution_id,
    ]);
  });

  it('runs code, each call in a fresh interpreter', async () => {
    const desk = await declareDesk(codeSpec);
    const verdicts: string[] = [];
    for (const amount of [2, 3]) verdicts.push((await desk.execute({ amount: json(amount) })).json.outcome.verdict);
    expect(verdicts).toEqual(['passed', 'failed']);
  });

  it('extracts a file that was uploaded', async () => {
    const desk = await declareDesk(tableSpec);
    const bytes = Buffer.from('item,price\ntea,3\n');
    await upload(bytes);
    const ran = await desk.execute({ lines: file(bytes, 'csv') });
    expect(ran.json.outcome).toMatchObject({ verdict: 'passed', steps: [{ id: 'read', status: 'succeeded' }] });
  });

  it('extracts a file larger than one call carries', async () => {
    const desk = await declareDesk(tableSpec);
    const bytes = Buffer.from(`item,price\n${'tea,3\n'.repeat(100_000)}`);
    await upload(bytes);
    const ran = await desk.execute({ lines: file(bytes, 'csv') });
    expect(ran.json.outcome.steps).toMatchObject([{ id: 'read', status: 'succeeded' }]);
  });

  it.each([
    [2, 'passed', undefined],
    [3, 'inconclusive', 'citations_invalid'],
  ])('reads a PDF and a workbook of real programs; a citation of page %i is %s', async (page, outcome, code) => {
    const desk = await declareDesk(documentSpec(page));
    const [report, ledger] = ['report-chromium.pdf', 'ledger-libreoffice.xlsx'].map((name) =>
      Buffer.from(readFileSync(`test/fixtures/documents/${name}`)),
    ) as [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>];
    await upload(report);
    await upload(ledger);
    const ran = await desk.execute({ report: file(report, 'pdf'), ledger: file(ledger, 'xlsx') });
    const [, , cited] = ran.json.outcome.requirements;
    expect(ran.json.outcome.requirements).toMatchObject([{ outcome: 'passed' }, { outcome: 'passed' }, { outcome }]);
    if (code !== undefined) expect(cited.reason_code).toBe(code);
    else expect(cited.citations).toEqual([{ slot: 'report', locator: { page } }]);
  });

  it('is inconclusive about a file that never came', async () => {
    const desk = await declareDesk(tableSpec);
    const ran = await desk.execute({ lines: file(Buffer.from(`absent ${Math.random()}`), 'csv') });
    expect([ran.status, ran.json.outcome.verdict]).toEqual([200, 'inconclusive']);
  });

  it.skipIf(!hasModels).each([
    ['JUDGE-PASS', 'passed'],
    ['JUDGE-FAIL', 'failed'],
    ['JUDGE-GARBAGE', 'inconclusive'],
    ['JUDGE-500', 'inconclusive'],
  ])('asks a model: %s is %s', async (word, verdict) => {
    const { spec, cards } = judged();
    const desk = await declareDesk(spec, cards);
    expect((await desk.execute({ text: json(word) })).json.outcome.verdict).toBe(verdict);
  });

  it('streams a result above what a buffered answer holds', async () => {
    const desk = await declareDesk({
      inputs: { answer: { type: 'json' } },
      requirements: Array.from({ length: 12 }, (_, index) => ({
        id: `r${index}`,
        statement: 'The text is the text',
        check: { kind: 'assert', path: 'inputs.answer', operator: 'equals', expected: 'x' },
      })),
    });
    const ran = await desk.execute({ answer: json('y'.repeat(1_000_000)) });
    expect(ran.status).toBe(200);
    expect(ran.text.length).toBeGreaterThan(6_000_000);
    const state = await call('GET', `/v1/verification/executions/${ran.json.execution_id}`);
    expect(state.json.result.outcome.verdict).toBe('failed');
  });
});
