import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';
import { type JudgedExecution, judgeLetter } from '#test/support/judged-letter.ts';
import { type Change, tamper } from '#test/support/tampered-record.ts';

const path = '/v1/records/verify';

describe('POST /v1/records/verify', () => {
  let host: TestHost;
  let judged: JudgedExecution;
  beforeAll(async () => {
    [host, judged] = await Promise.all([makeHost(), judgeLetter()]);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  function bodyOf(changes: readonly Change[] = []) {
    const { record, keys, result, cards, evidence = [] } = tamper(judged, changes);
    const encoded = evidence.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
    return { record, keys, result, cards, evidence: encoded };
  }

  test('checks what is sent', async () => {
    const { record, keys, ...held } = bodyOf();
    const alone = await host.call('POST', path, { body: { record, keys } });
    expect(alone).toMatchObject({ status: 200, json: { result: 'valid', defects: [] } });
    const whole = await host.call('POST', path, { body: { record, keys, ...held } });
    expect(whole.json).toMatchObject({ result: 'undecidable', steps: { digests: 'valid', replay: 'undecidable' } });
    expect(new Set(whole.json.defects.map(({ code }: { code: string }) => code))).toEqual(
      new Set(['code_not_repeated']),
    );
  });

  test('without keys, by the keys of this service: another one’s record is a stranger’s', async () => {
    const { record } = bodyOf();
    const answered = await host.call('POST', path, { body: { record } });
    expect(answered.json).toMatchObject({ result: 'invalid', defects: [{ code: 'key_unknown' }] });
  });

  test('takes JSON values in place of texts', async () => {
    const { record, keys, result = '', cards = [] } = bodyOf();
    const body = {
      record: JSON.parse(record),
      keys,
      result: JSON.parse(result),
      cards: cards.map((text) => JSON.parse(text)),
    };
    const answered = await host.call('POST', path, { body });
    expect(answered.json.steps).toMatchObject({ form: 'valid', signature: 'valid', digests: 'valid' });
  });

  test('an invalid record is an answer, not a refusal', async () => {
    const body = bodyOf([{ in: 'statement', op: 'set', path: '/predicate/verdict', value: 'failed' }]);
    const answered = await host.call('POST', path, { body });
    expect(answered).toMatchObject({ status: 200, json: { result: 'invalid' } });
  });

  test('sees members that occur twice, since the record is a text', async () => {
    const { keys } = bodyOf();
    const answered = await host.call('POST', path, { body: { record: '{"envelope":1,"envelope":2}', keys } });
    expect(answered.json.defects).toMatchObject([{ code: 'json_duplicate_member', at: 'record/envelope' }]);
  });

  test.each([
    [400, {}],
    [400, { record: 1 }],
    [400, { record: '{}', more: 1 }],
    [400, { record: '{}', evidence: [{ name: 'a', base64: '!' }] }],
    [413, { record: ' '.repeat(4 * 1024 * 1024) }],
  ])('refuses with %i', async (status, body) => {
    expect((await host.call('POST', path, { body })).status).toBe(status);
  });
});
