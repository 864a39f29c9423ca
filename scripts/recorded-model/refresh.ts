import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { createClient } from '#sdk/index.ts';
import { readExpectations } from '../examples/expectations.ts';
import { applyExample, judge } from '../examples/run-example.ts';
import { type RecordedModel, startRecordedModel } from './model-server.ts';
import { findRecording, findSameEvidence, type Recording, readRecordings, writeRecordings } from './recordings.ts';
import type { AskedOf } from './request-key.ts';

/**
 * Brings recordings.json up to date after a prompt has changed: asks everything that examples/refund-desk asks, keeps the
 * answer that was recorded for the same evidence, and names what was never answered. Edit the answers in the file.
 */
const folder = fileURLToPath(new URL('../../examples/refund-desk', import.meta.url));

async function askEverything(model: RecordedModel): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-refresh-'));
  const judgeRoute = { provider: 'openai-compatible', base_url: model.url };
  const config = await loadConfig(undefined, {}, { data, port: 0, deployments: { judge: judgeRoute } });
  const host = await startHost(config, { log: { info() {}, warn() {}, error() {} } });
  try {
    const client = createClient({ url: host.url });
    await applyExample(client, folder);
    for (const expected of await readExpectations(folder)) if (expected.judged) await judge(client, folder, expected);
  } finally {
    await host.close();
    await rm(data, { recursive: true, force: true });
  }
}

function rerecord(known: readonly Recording[], asked: AskedOf): Recording {
  const answer = findSameEvidence(known, asked)?.answer;
  if (answer === undefined) process.stderr.write(`no answer yet for: ${asked.messages.at(-1)?.text ?? ''}\n`);
  return { model: asked.model, messages: asked.messages.map((message) => ({ ...message })), answer: answer ?? {} };
}

const known = await readRecordings();
// Without recordings every request ends up in `unanswered`.
const model = await startRecordedModel([]);
await askEverything(model).finally(() => model.close());
const recordings = model.unanswered.map((asked) => findRecording(known, asked) ?? rerecord(known, asked));
await writeRecordings(recordings);
process.stdout.write(`${recordings.length} recordings\n`);
