import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '#sdk/index.ts';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';
import { type Expectation, readExpectations } from '../../scripts/examples/expectations.ts';
import { applyExample, differences, judge } from '../../scripts/examples/run-example.ts';
import { type RecordedModel, startRecordedModel } from '../../scripts/recorded-model/model-server.ts';
import { readRecordings } from '../../scripts/recorded-model/recordings.ts';

const root = fileURLToPath(new URL('../../examples/', import.meta.url));
/** Examples of windows wait for their minute; sunspots.test.ts draws theirs. */
const names = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && existsSync(`${root}${entry.name}/expected.yaml`) ? [entry.name] : [],
);
const cases = (
  await Promise.all(
    names.map(async (name) =>
      (
        await readExpectations(`${root}${name}`)
      ).map((expected): [string, string, Expectation] => [name, expected.title, expected]),
    ),
  )
).flat();

describe('every example does what it says', () => {
  let model: RecordedModel;
  let host: TestHost;
  let client: Client;
  beforeAll(async () => {
    model = await startRecordedModel(await readRecordings());
    host = await makeHost({ deployments: { judge: { provider: 'openai-compatible', base_url: model.url } } });
    client = createClient({ url: host.url });
    for (const name of names) await applyExample(client, `${root}${name}`);
  }, 60_000);
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await model.close();
  });

  test('there are examples, and every request to their judge was recorded', () => {
    expect(names).toEqual(expect.arrayContaining(['code-review', 'expense-lines', 'refund-desk']));
    expect(cases.length).toBeGreaterThan(10);
  });

  test.each(cases)('%s: %s', { timeout: 60_000 }, async (name, _title, expected) => {
    const judged = await judge(client, `${root}${name}`, expected);
    expect(differences(judged, expected, true)).toEqual([]);
    expect(model.unanswered).toEqual([]);
  });

  test('an expectation that is not met is told apart', { timeout: 60_000 }, async () => {
    const [name, , expected] = cases.find(([folder]) => folder === 'refund-desk')!;
    const judged = await judge(client, `${root}${name}`, expected);
    const other: Expectation = {
      ...expected,
      verdict: 'failed',
      requirements: { 'no-guarantee': 'failed' },
      citations: { 'no-guarantee': ['answer#/'] },
    };
    expect(differences(judged, other, true)).toEqual([
      'verdict is passed, expected failed',
      'no-guarantee is passed, expected failed',
      'judged no-guarantee, short-enough',
      'no-guarantee cites , expected answer#/',
    ]);
  });
});
