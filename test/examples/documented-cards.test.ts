import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkPath } from '#cli/check/check-path.ts';
import { checkConfig } from '#local/config.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const guide = readFileSync(new URL('../../docs/writing-verifiers.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');

describe('what docs/writing-verifiers.md shows', () => {
  test('the smallest Verifier and its Service are good Cards', async () => {
    const [verifier = '', service = ''] = blocks;
    await inFolder({ 'honest-answer.yaml': verifier, 'service.yaml': service }, async (folder) => {
      expect(await checkPath(`${folder}/service.yaml`, folder)).toMatchObject({ cards: 2, issues: [], isGood: true });
    });
  });

  test('the settings are settings of the host', () => {
    expect(checkConfig(parse(blocks.at(-1) ?? ''))).toMatchObject({
      deployments: { judge: { provider: 'openai-compatible' } },
    });
  });

  test('every table row with a check is a good check', async () => {
    const checks = [...guide.matchAll(/`check: (\{kind: assert[^`]*\})`/g)].map(([, text]) => text ?? '');
    expect(checks).toHaveLength(1);
    for (const check of checks) {
      const card = `apiVersion: wyrd/v1\nkind: Verifier\nmetadata: {name: some-check}\nspec: {inputs: {refund: {type: json}}, requirements: [{id: a, statement: s, check: ${check}}]}\n`;
      await inFolder({ 'v.yaml': card }, async (folder) =>
        expect((await checkPath(folder, folder)).issues).toEqual([]),
      );
    }
  });
});
