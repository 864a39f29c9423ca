import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { identified } from '../../lambdas/compose/call-ids.ts';
import { log } from '../../lambdas/compose/system.ts';

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const place = { tenant: 'acme', execution_id: 'e-1', lease: 'l', attempt: 1, deadline: 1 };
const context = { awsRequestId: 'r-1' };

it.each<[string, unknown, object]>([
  ['a claim', { step: 'claim', input: { tenant: 'acme', execution_id: 'e-1', lease: 'l' } }, { execution_id: 'e-1' }],
  ['a later step', { step: 'advance', input: place }, { execution_id: 'e-1' }],
  ['work', { place, item: { work_id: 'w', try: 1, wait_seconds: 0 } }, { execution_id: 'e-1' }],
  ['a sweep', { sweep: true }, {}],
  ['nothing', null, {}],
])('the log lines of %s carry the ids of its call', async (_name, event, ids) => {
  const handler = identified(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    log.warn('seen', { work: 'w' });
  });
  await handler(event, context);
  log.info('after');
  const [during, after] = lines.map((line) => JSON.parse(line));
  expect(during).toEqual({
    timestamp: expect.any(String),
    level: 'WARN',
    message: 'seen',
    aws_request_id: 'r-1',
    ...ids,
    work: 'w',
  });
  expect(after).toEqual({ timestamp: expect.any(String), level: 'INFO', message: 'after' });
});

it('keeps two calls apart, and hands on what the handler throws', async () => {
  const handler = identified(async (event) => {
    await new Promise((resolve) => setTimeout(resolve, event === 1 ? 10 : 1));
    log.info('seen', { event: event as number });
    if (event === 1) throw new Error('thrown');
  });
  const calls = [handler(1, { awsRequestId: 'one' }), handler(2, { awsRequestId: 'two' })];
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(lines.map((line) => JSON.parse(line)).map(({ event, aws_request_id }) => [event, aws_request_id])).toEqual([
    [2, 'two'],
    [1, 'one'],
  ]);
});
