import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HttpOperator } from '#contract/cards/operator.ts';
import { buildRequest, providerUrls } from '#service/operators/build-request.ts';
import { isRenderFailure, renderBody, renderText, renderUrl } from '#service/operators/render.ts';
import { context } from '#test/support/settle-with-dispatches.ts';

describe('rendering of templates (docs/spec/background.md §7.2)', () => {
  it('puts values in as they are, and never looks at them again', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, summary) => {
        fc.pre(!before.includes('{{'));
        expect(renderText(`${before}|{{ summary }}`, { summary })).toBe(`${before}|${summary}`);
      }),
    );
    expect(renderText('{{summary}}', { summary: '{{verdict}} }}' })).toBe('{{verdict}} }}');
  });

  it('a value in a URL stays inside its segment, its parameter and its origin', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (summary) => {
        fc.pre(summary !== '.' && summary !== '..');
        const url = new URL(renderUrl('https://hooks.example.com/a/{{summary}}/b?q={{summary}}&r=1', { summary }));
        expect([url.origin, url.pathname.split('/').length, url.hash]).toEqual(['https://hooks.example.com', 4, '']);
        expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(summary.toWellFormed());
        expect([url.searchParams.get('q'), url.searchParams.get('r')]).toEqual([summary.toWellFormed(), '1']);
      }),
    );
  });

  it.each(['.', '..'])('refuses a value that climbs in the path: %s', (summary) => {
    expect(() => renderUrl('https://a.example.com/x/{{summary}}/y', { summary })).toThrow(/dot segment/);
    expect(() => renderUrl('https://a.example.com/x/.{{summary}}', { summary: '.' })).toThrow(/dot segment/);
    expect(renderUrl('https://a.example.com/x/../y?q={{summary}}', { summary })).toContain(`q=${summary}`);
  });

  it('gives every text of a body its values, and keeps names that are special elsewhere', () => {
    const body = JSON.parse('{"__proto__": ["{{verdict}}"], "{{verdict}}": 1, "n": [null, true, 1.5]}');
    const rendered = renderBody(body, { verdict: 'failed' });
    expect(JSON.stringify(rendered)).toBe('{"__proto__":["failed"],"{{verdict}}":1,"n":[null,true,1.5]}');
  });

  it('fails where a field has no value, and where it would be too long', () => {
    const failureOf = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return isRenderFailure(error);
      }
    };
    expect(failureOf(() => renderText('{{group.group_id}}', context))).toBe(true);
    expect(failureOf(() => renderText('{{summary}}', Object.create({ summary: 'inherited' })))).toBe(true);
    const wide = '{{summary}}'.repeat(300);
    expect(failureOf(() => renderText(wide, { summary: 'x'.repeat(512) }))).toBe(true);
    expect(failureOf(() => renderBody(Array(20).fill('{{summary}}'.repeat(100)), { summary: 'x'.repeat(512) }))).toBe(
      true,
    );
    expect(
      failureOf(() => renderUrl(`https://a.example.com/${'{{summary}}'.repeat(100)}`, { summary: '😀'.repeat(512) })),
    ).toBe(true);
  });

  it('a value cannot begin another header', () => {
    const spec: HttpOperator = {
      kind: 'http',
      method: 'get',
      url: 'https://a.example.com/',
      headers: { 'X-A': '{{summary}}' },
    };
    const built = (summary: string) =>
      buildRequest(spec, { dispatch_id: 'd', context: { summary } }, null, providerUrls);
    for (const hostile of ['a\r\nx: y', 'a\0', 'a\x7f', '\n'])
      expect(() => built(hostile)).toThrow(/control character/);
    expect(Buffer.from(built('é 😀').headers['x-a'] ?? '', 'latin1').toString('utf8')).toBe('é 😀');
  });

  it('cuts the summary of PagerDuty, never a key', () => {
    const channel = {
      kind: 'pager_duty',
      connection: 'c',
      route: 'r',
      severity: 'info',
      summary: '{{summary}}{{summary}}{{summary}}',
    } as const;
    const credential = { connection: {} as never, secret: { kind: 'token', token: 't' } } as const;
    const dispatch = { dispatch_id: 'd', context: { summary: 'x'.repeat(512) } };
    const built = buildRequest({ kind: 'notify', channel }, dispatch, credential, providerUrls);
    expect(JSON.parse(built.body ?? '').payload.summary).toHaveLength(1_024);
    const keyed = { ...channel, dedup_key: '{{summary}}' };
    expect(() => buildRequest({ kind: 'notify', channel: keyed }, dispatch, credential, providerUrls)).toThrow(
      /dedup_key/,
    );
  });

  it('takes the shortest of thirty seconds, timeout and budget', () => {
    const timeout = (more: Partial<HttpOperator>) =>
      buildRequest(
        { kind: 'http', method: 'get', url: 'https://a.example.com/', ...more },
        { dispatch_id: 'd', context },
        null,
        providerUrls,
      ).timeout_ms;
    expect([timeout({}), timeout({ timeout_seconds: 90 }), timeout({ timeout_seconds: 5 })]).toEqual([
      30_000, 30_000, 5_000,
    ]);
    expect(timeout({ timeout_seconds: 5, budget: { max_wall_seconds: 2 } })).toBe(2_000);
  });
});
