import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type AskedOf, requestKey } from './request-key.ts';

const schema = z.strictObject({
  recordings: z.array(
    z.strictObject({
      model: z.string(),
      messages: z.array(z.strictObject({ role: z.string(), text: z.string() })),
      /** The model's answer, word for word; what it holds is JSON, written out here to be read. */
      answer: z.record(z.string(), z.unknown()),
    }),
  ),
});

export type Recording = z.infer<typeof schema>['recordings'][number];

const recordingsFile = new URL('recordings.json', import.meta.url);

export async function readRecordings(): Promise<readonly Recording[]> {
  return schema.parse(JSON.parse(await readFile(recordingsFile, 'utf8'))).recordings;
}

export async function writeRecordings(recordings: readonly Recording[]): Promise<void> {
  await writeFile(recordingsFile, `${JSON.stringify({ recordings }, null, 2)}\n`);
}

/** The recording of exactly this request. */
export function findRecording(recordings: readonly Recording[], asked: AskedOf): Recording | undefined {
  const key = requestKey(asked);
  return recordings.find((recording) => requestKey(recording) === key);
}

/**
 * The recording of the same evidence under another prompt: its answer is still what that judge said of that evidence.
 * For re-recording only; a replay never guesses.
 */
export function findSameEvidence(recordings: readonly Recording[], asked: AskedOf): Recording | undefined {
  const last = asked.messages.at(-1)?.text;
  return recordings.find((recording) => recording.messages.at(-1)?.text === last);
}
