import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperatorSpec } from '#contract/cards/operator.ts';
import { type AttemptOutcome, endAfter, judgeReply } from '#service/operators/judge-reply.ts';

const http: OperatorSpec = { kind: 'http', method: 'get', url: 'https://a.example.com/' };
const slack: OperatorSpec = {
  kind: 'notify',
  channel: { kind: 'slack', connection: 'desk-slack', channel_id: 'C', text: 't' },
};
const pager: OperatorSpec = {
  kind: 'notify',
  channel: { kind: 'pager_duty', connection: 'desk-pager', route: 'r', severity: 'info', summary: 's' },
};

function said(spec: OperatorSpec, status: number, body = ''): string {
  const outcome = judgeReply(spec, { kind: 'answer', status, retry_after: null, body });
  return outcome.kind === 'delivered' ? 'delivered' : `${outcome.kind} ${outcome.error}`;
}

const transient = 'retryable provider_transient';
const rejected = 'terminal provider_rejected';

describe('outcome of an attempt (docs/spec/background.md §9.4)', () => {
  it.each<[number, string]>([
    [200, 'delivered'],
    [299, 'delivered'],
    [302, rejected],
    [304, rejected],
    [400, rejected],
    [401, rejected],
    [404, rejected],
    [408, transient],
    [409, rejected],
    [425, transient],
    [429, transient],
    [500, transient],
    [599, transient],
  ])('%i is %s', (status, outcome) => {
    expect([said(http, status), said(pager, status)]).toEqual([outcome, outcome]);
  });

  it('an expected status is the only one that delivers', () => {
    const expecting = (expect_status: number): OperatorSpec => ({ ...http, expect_status }) as OperatorSpec;
    expect([said(expecting(202), 202), said(expecting(202), 200)]).toEqual(['delivered', rejected]);
    expect([said(expecting(503), 503), said(expecting(202), 503)]).toEqual(['delivered', transient]);
  });

  it.each<[string, string]>([
    ['{"ok":true,"ts":"1"}', 'delivered'],
    ...['ratelimited', 'internal_error', 'service_unavailable', 'request_timeout', 'fatal_error'].map(
      (error): [string, string] => [JSON.stringify({ ok: false, error }), transient],
    ),
    ['{"ok":false,"error":"channel_not_found"}', rejected],
    ['{"ok":false,"error":"__proto__"}', rejected],
    ['{"ok":false}', rejected],
    ['{"ok":"true"}', rejected],
    ['{}', rejected],
    ['null', rejected],
    ['[]', rejected],
    ['<html>ok</html>', rejected],
    ['', rejected],
    ['{"ok":tru', rejected],
  ])('Slack says %s with 200', (body, outcome) => {
    expect(said(slack, 200, body)).toBe(outcome);
  });

  it('Slack’s own status counts before its body', () => {
    expect([said(slack, 429, '{"ok":false}'), said(slack, 503), said(slack, 403)]).toEqual([
      transient,
      transient,
      rejected,
    ]);
  });
});

const created_at = Date.parse('2026-03-02T09:00:00.000Z');
const retryable = (retry_after: string | null = null): AttemptOutcome => ({
  kind: 'retryable',
  error: 'provider_transient',
  retry_after,
});
const nextAfter = (seconds: number, attempts: number, outcome: AttemptOutcome) => {
  const end = endAfter({ attempts, created_at }, outcome, created_at + seconds * 1_000);
  return end.status === 'retrying' ? (end.due_at - created_at) / 1_000 : end.status;
};

describe('the next attempt (docs/spec/background.md §9.3)', () => {
  it.each<[number, number, string | null, number | string]>([
    [0, 1, null, 30],
    [30, 2, null, 150],
    [60, 1, null, 90],
    [90, 2, null, 210],
    [120, 2, null, 210],
    [185, 1, null, 210],
    [150, 3, null, 'failed'],
    [0, 1, '60', 60],
    [0, 1, '1', 30],
    [0, 1, '0', 30],
    [0, 1, '300', 300],
    [0, 1, '301', 'failed'],
    [30, 2, '250', 280],
    [0, 1, 'Mon, 02 Mar 2026 09:01:00 GMT', 60],
    [0, 1, 'Mon, 02 Mar 2026 08:00:00 GMT', 30],
    [0, 1, 'Mon, 02 Mar 2026 09:06:00 GMT', 'failed'],
    [0, 1, 'soon', 30],
    [0, 1, '-5', 30],
    [0, 1, '1e3', 30],
    [0, 1, '9'.repeat(400), 30],
  ])('%i s after creation, attempt %i, Retry-After %s: %s', (seconds, attempts, retryAfter, expected) => {
    expect(nextAfter(seconds, attempts, retryable(retryAfter))).toBe(expected);
  });

  it('is never earlier than now nor later than five minutes, and never a fourth', () => {
    const retryAfters = fc.option(fc.oneof(fc.nat(1_000).map(String), fc.string()));
    fc.assert(
      fc.property(fc.nat(400), fc.integer({ min: 1, max: 5 }), retryAfters, (seconds, attempts, retryAfter) => {
        const due = nextAfter(seconds, attempts, retryable(retryAfter));
        if (due === 'failed') return;
        expect(attempts).toBeLessThan(3);
        expect(due).toBeGreaterThanOrEqual(seconds);
        expect(due).toBeLessThanOrEqual(300);
      }),
    );
  });
});
