import { expect, it } from 'vitest';
import { openAwsHost } from '#test/support/aws-host.ts';
import { judgeWithTools } from '#test/support/tool-judge.ts';

it('an agent with tools and a workspace judges over HTTP', async () => {
  expect.hasAssertions();
  await judgeWithTools(openAwsHost);
});
