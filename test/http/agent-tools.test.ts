import { expect, it } from 'vitest';
import { openEmbeddedHost } from '#test/support/http-case.ts';
import { judgeWithTools } from '#test/support/tool-judge.ts';

it('an agent with tools and a workspace judges over HTTP', async () => {
  expect.hasAssertions();
  await judgeWithTools(openEmbeddedHost);
});
