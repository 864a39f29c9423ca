import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkPath } from '#cli/check/check-path.ts';
import { catalogue } from '#service/agent/tools/catalogue.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
const [agent = '', steps = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text);

test('what docs/agents.md shows are good Cards', async () => {
  const indented = steps.replaceAll(/^/gm, '  ');
  const verifier = [
    'apiVersion: wyrd/v1',
    'kind: Verifier',
    'metadata: { name: looks, version: 1.0.0 }',
    'spec:',
    '  inputs: { ticket: { type: json }, letter: { type: media, formats: [pdf, zip] } }',
    '  requirements:',
    '    - { id: a, statement: s, check: { kind: assert, path: steps.look.output, operator: not_contains, expected: x } }',
    // The Artifact is declared before, with its files; the rest of the workspace is checked here.
    indented.replace(/^.*artifact:.*\n/m, '').replace(/\{ sibling: [^}]*\} \}/, './agent.yaml'),
  ];
  await inFolder({ 'agent.yaml': agent, 'verifier.yaml': verifier.join('\n') }, async (folder) => {
    expect(await checkPath(`${folder}/verifier.yaml`, folder)).toMatchObject({ cards: 2, issues: [], isGood: true });
  });
});

test('docs/agents.md names every tool', () => {
  for (const name of catalogue.keys()) expect(page).toContain(`\`${name}\``);
});
