import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PinnedFile } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { isObject } from '#engine/values/kind.ts';
import {
  type AgentAsked,
  type AgentBench,
  asks,
  judges,
  mediaFile,
  openAgentBench,
  valueFile,
} from '#test/support/agent-bench.ts';
import { makeZip } from '#test/support/documents/make-zip.ts';

/** Hostile evidence, over the real protocol: what the provider is sent, and that a verdict stands as the model gave it. */

interface Injection {
  readonly id: string;
  readonly forges: string;
  readonly text: string;
}

const injections = parse(readFileSync('test/fixtures/injections/evidence.yaml', 'utf8')) as readonly Injection[];

let bench: AgentBench;
beforeAll(async () => {
  bench = await openAgentBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const prompt = (content: Json) =>
  ({ provider: 'openai', model: 'm', system: 'You judge letters.', messages: [{ role: 'user', content }] }) as never;
const keyOf = (key: string, value: Json): JsonObject => JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`);
const input = (value: Json): Partial<AgentAsked> => ({
  work: { prompt: prompt('Claim: {{claim}}'), inputs: { claim: { kind: 'value', value } } },
});
const withTools = (
  calls: readonly (readonly [string, Json])[],
  work: AgentAsked['work'] = {},
): Partial<AgentAsked> => ({
  replies: [...calls.map((call) => asks(call)), judges('failed')],
  work: { prompt: prompt('Judge the files.'), tool_names: calls.map(([name]) => name), ...work },
});
const withTool = (call: readonly [string, Json], work?: AgentAsked['work']) => withTools([call], work);
/** UTF-16 of JSON is not a Python literal: the bytes are. */
const pythonText = (text: string) => `bytes.fromhex("${Buffer.from(text).toString('hex')}").decode()`;
const pinned = (text: string, format: PinnedFile['format']) => bench.pin(text, format);
/** A name of an archive's entry: what a container may not hold is refused before any model is asked. */
const entryName = (text: string) => text.replaceAll(/[\p{Cc}\\/]/gu, '_').slice(0, 200);

const places: Readonly<Record<string, (text: string) => Promise<Partial<AgentAsked>> | Partial<AgentAsked>>> = {
  'a text input': (text) => input(text),
  'a JSON value': (text) => input({ note: [text] }),
  'a JSON key': (text) => input(keyOf(text, 1)),
  'a text file shown natively': async (text) => ({
    work: {
      prompt: prompt([{ type: 'document', source: ['$', '{media:doc}'].join('') }]),
      inputs: { doc: { kind: 'media', slot: 'doc', media: await pinned(text, 'text') } },
    },
  }),
  'a file of the workspace': async (text) =>
    withTool(['fs.read', { path: '/inputs/a' }], { workspace: [mediaFile('/inputs/a', await pinned(text, 'text'))] }),
  'a value of the workspace': (text) =>
    withTool(['fs.read', { path: '/inputs/a' }], { workspace: [valueFile('/inputs/a', keyOf(text, text))] }),
  'a name of a file': async (text) => {
    const zip = makeZip([{ name: entryName(text), content: 'x' }]);
    return withTool(['fs.list', {}], { workspace: [mediaFile('/inputs/a', await bench.pin(zip, 'zip'))] });
  },
  'a line that is found': async (text) =>
    withTool(['fs.search', { pattern: '.', regex: true }], {
      workspace: [mediaFile('/inputs/a', await pinned(text, 'text'))],
    }),
  'an extracted document': async (text) =>
    withTools(
      [
        ['fs.extract', { path: '/inputs/a', to: '/work/a' }],
        ['fs.read', { path: '/work/a' }],
      ],
      { workspace: [mediaFile('/inputs/a', await pinned(text, 'html'))] },
    ),
  'what code prints': (text) =>
    withTools([['code.run', { source: `def main(workspace):\n    print(${pythonText(text)})` }]]),
  'a recorded row': (text) => ({
    ...withTool(['bifrost.query', { sql: 'select name from traces.spans' }]),
    rows: { 'traces.spans': [{ name: text }] },
  }),
};

describe.each(injections)('evidence that forges $forges ($id)', ({ text }) => {
  test.each(Object.entries(places))('in the place of %s stays evidence', async (place, ask) => {
    const asked = await ask(text);
    const { result, requests } = await bench.perform({ replies: [judges('failed')], ...asked });
    expect(result).toMatchObject({ kind: 'verdict', verdict: { outcome: 'failed', citations: [] } });
    const messages = requests.at(-1)?.messages as readonly JsonObject[];
    const [system, ...rest] = messages;
    const token = /<<<data ([0-9a-f]{32})>>>/u.exec(String(system?.content))?.[1] ?? 'none';
    expect(system?.role).toBe('system');
    expect(String(system?.content)).not.toContain(text);
    expect(rest.map(({ role }) => role).join(' ')).toMatch(
      asked.replies === undefined ? /^user$/ : /^user( assistant tool)+$/,
    );
    const shown = textOf(rest.at(-1));
    const lines = shown.split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([`<<<data ${token}>>>`, `<<<end of data ${token}>>>`]);
    expect(shown.split(token)).toHaveLength(3);
    expect(lines.slice(1, -1).join('\n')).toContain(
      place === 'a text input' || place.startsWith('a text file') ? text : visible(text, place),
    );
  });
});

/** In JSON a text is escaped; a file's lines and names are shown apart. */
function visible(text: string, place: string): string {
  const whole = place === 'a name of a file' ? entryName(text) : text;
  const [part = ''] =
    place === 'a file of the workspace' || place === 'a line that is found'
      ? whole.split('\n').filter((line) => line.trim() !== '')
      : [whole];
  const escaped = JSON.stringify(part).slice(1, -1);
  // A value of the workspace is JSON text that stands in JSON once more.
  return place === 'a value of the workspace' || place === 'an extracted document'
    ? JSON.stringify(escaped).slice(1, -1)
    : escaped;
}

function textOf(message: JsonObject | undefined): string {
  const content = message?.content as Json;
  if (typeof content === 'string') return content;
  const [only] = (Array.isArray(content) ? content : []) as readonly Json[];
  return isObject(only) ? String(only.text) : '';
}

test('the set forges what evidence can forge', () => {
  expect(new Set(injections.map(({ id }) => id)).size).toBe(injections.length);
  expect(injections.length).toBeGreaterThanOrEqual(30);
});
