import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeLetter } from '#test/support/judged-letter.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';
import { tamper } from '#test/support/tampered-record.ts';

/**
 * `node scripts/audited-letter.ts`: makes the record that docs/records.md checks anew, with new keys. Needed when the Python
 * interpreter changes: code is compared in the recorded one only. Then `npm run format`, which does not change what it says.
 */
const folder = new URL('../docs/data/audited-letter/', import.meta.url);
const judged = await judgeLetter();
const held = tamper(judged, [{ in: 'inclusion', op: 'set' }]);
const pretty = (text: string) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`;

const files = new Map<string, string | Uint8Array>([
  ['record.json', pretty(held.record)],
  ['keys.json', pretty(JSON.stringify(held.keys))],
  ['result.json', pretty(held.result ?? '')],
  ['log.json', pretty(held.checkpoint ?? '')],
]);
for (const { name, bytes } of held.evidence ?? []) files.set(`evidence/${name}`, bytes);
for (const [position, text] of (held.cards ?? []).entries()) files.set(`cards/${position}.json`, pretty(text));
for (const [name, content] of files) {
  const path = fileURLToPath(new URL(name, folder));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
await sharedSandbox().close();
