import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RecordedModel, startRecordedModel } from '../../scripts/recorded-model/model-server.ts';
import { readAsked, requestKey } from '../../scripts/recorded-model/request-key.ts';

const token = (digit: string) => digit.repeat(32);
const request = (digit: string, letter = 'hello', model = 'm') => ({
  model,
  temperature: 0,
  messages: [
    { role: 'system', content: `Between <<<data ${token(digit)}>>> and <<<end of data ${token(digit)}>>>` },
    { role: 'user', content: [{ type: 'text', text: `<<<data ${token(digit)}>>>\n${letter}` }] },
  ],
});
const keyOf = (body: unknown) => requestKey(readAsked(body)!);

describe('the key of a request', () => {
  test('does not depend on the boundary of the call or on settings', () => {
    expect(keyOf(request('a'))).toBe(keyOf({ ...request('b'), temperature: 1 }));
  });
  test.each([
    ['another letter', request('a', 'goodbye')],
    ['another model', request('a', 'hello', 'n')],
    ['a boundary that is not ours', request('a', `<<<data ${token('z')}>>>hello`)],
    [
      'another role',
      {
        ...request('a'),
        messages: [
          ...request('a').messages.slice(0, 1),
          { role: 'assistant', content: `<<<data ${token('a')}>>>\nhello` },
        ],
      },
    ],
  ])('depends on %s', (_title, other) => expect(keyOf(other)).not.toBe(keyOf(request('a'))));
  test.each([null, 7, {}, { model: 'm' }, { model: 7, messages: [] }])('%j is no request', (body) =>
    expect(readAsked(body)).toBeUndefined(),
  );
});

describe('the server', () => {
  let server: RecordedModel;
  beforeAll(async () => {
    const asked = readAsked(request('c'))!;
    server = await startRecordedModel([
      { model: asked.model, messages: [...asked.messages], answer: { outcome: 'passed' } },
    ]);
  });
  afterAll(() => server.close());
  const ask = async (body: string, path = '/chat/completions') => {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body });
    return { status: response.status, body: await response.json() };
  };

  test('replays what was recorded', async () => {
    const { status, body } = await ask(JSON.stringify(request('d')));
    expect({ status, content: body.choices[0].message.content }).toEqual({
      status: 200,
      content: '{"outcome":"passed"}',
    });
  });
  test('says so when it was not, and remembers it', async () => {
    expect(await ask(JSON.stringify(request('d', 'changed')))).toMatchObject({
      status: 404,
      body: { error: { type: 'not_recorded', message: expect.stringContaining('changed since it was recorded') } },
    });
    expect(server.unanswered.map(({ messages }) => messages[1]?.text)).toEqual(['<<<data>>>\nchanged']);
  });
  test.each([
    ['{', '/chat/completions', 400],
    ['{}', '/chat/completions', 400],
    ['{}', '/embeddings', 404],
  ])('%s to %s is answered %d', async (body, path, status) => expect((await ask(body, path)).status).toBe(status));
});
