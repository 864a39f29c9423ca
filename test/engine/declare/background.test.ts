import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#contract/json.ts';
import { compile } from '#engine/declare/compile.ts';
import type { Connection } from '#engine/declare/submission/operator-rules.ts';
import {
  component,
  expandBinding,
  group,
  operator,
  run,
  type Specs,
  service,
  submit,
  trigger,
  window,
} from './background-cards.ts';
import { lenientReferences } from './references.ts';

interface Case {
  readonly id: string;
  readonly given: Record<string, never>;
  readonly expect: Record<string, never>;
}

function casesOf(file: string): readonly Case[] {
  return parse(readFileSync(new URL(`../../conformance/background/${file}.yaml`, import.meta.url), 'utf8')) as Case[];
}

function one(file: string, id: string) {
  const found = casesOf(file).find((item) => item.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  // The files are data of many forms; each test below names the members it reads.
  return found as unknown as { given: Record<string, Json & JsonObject>; expect: Record<string, Json & JsonObject> };
}

type Refused = { code?: string; field?: string; rule?: string };

function expectRefused(
  findings: readonly { code: string; path: string; rule: string; details?: unknown }[],
  refused: Refused,
) {
  const [first] = findings;
  expect(first).toMatchObject({
    ...(refused.code && { code: refused.code }),
    ...(refused.rule && { rule: refused.rule }),
  });
  if (refused.field !== undefined) expect(first?.details).toMatchObject({ field: refused.field });
}

const asList = (value: unknown): JsonObject[] => (Array.isArray(value) ? value : []);

describe('bindings.yaml', () => {
  const refused = casesOf('bindings').filter(
    ({ given, expect: expected }) => 'refused' in expected && !('events' in given),
  );
  it.each(refused.map(({ id }) => [id]))('%s', (id) => {
    const { given, expect: expected } = one('bindings', id);
    const variants = given.verified_by_each
      ? asList(given.verified_by_each).map((entry) => [entry])
      : [asList(given.verified_by)];
    for (const bindings of variants) {
      const declared = asList((asList(given.declare)[0] as JsonObject | undefined)?.bindings);
      const components = given.components
        ? asList(given.components).map(({ alias }) => component(String(alias), []))
        : declared.length > 0
          ? [
              component(
                'agent',
                declared.map(({ at: _, ...entry }) => entry),
              ),
            ]
          : [];
      const peers = asList(given.submissions)
        .map(String)
        .filter((text) => !text.startsWith('desk'))
        .map((text) => ({
          ref: { kind: 'Verifier' as const, name: text.split('@')[0] ?? '', version: '1.0.0' },
          spec: run,
        }));
      const findings = submit([...peers, service({ components, verified_by: bindings.map(expandBinding) })]);
      expectRefused(findings, expected.refused as Refused);
    }
  });

  it('takes two versions of a Verifier, and bindings in any order', () => {
    const { given } = one('bindings', 'binding-two-versions');
    const bindings = asList(asList(given.declare)[0]?.bindings).map(({ at: _, ...entry }) => entry);
    expect(submit([service({ components: [component('agent', bindings)] })])).toEqual([]);
  });
});

describe('operators.yaml', () => {
  const slack = (text: string) => ({
    kind: 'notify',
    channel: { kind: 'slack', connection: 'desk-slack', channel_id: 'C', text },
  });
  const http = (more: JsonObject) => ({ kind: 'http', method: 'post', url: 'https://hooks.example.com/', ...more });
  const codes = (spec: Json) => submit([operator(spec)]).map(({ code }) => code);

  it.each(['operator-pager-duty-valid', 'operator-slack-valid', 'operator-http-valid'])('%s', (id) => {
    expect(submit([operator(one('operators', id).given.operator ?? null)])).toEqual([]);
  });

  it.each(['operator-unclosed-placeholder', 'operator-nested-body-template', 'operator-auth-header-twice'])(
    '%s',
    (id) => {
      const { given, expect: expected } = one('operators', id);
      expectRefused(submit([operator(given.operator ?? null)]), expected.refused as Refused);
    },
  );

  it('refuses unknown fields, owned headers, templated origins', () => {
    const texts = (id: string, key: string) => Object.values(one('operators', id).given[key] ?? {}).map(String);
    for (const text of texts('operator-removed-field-names', 'text_each')) {
      expect(codes(slack(text))).toEqual(['WYRD_SPEC_400_INVALID_OPERATOR']);
    }
    for (const url of texts('operator-origin-template', 'url_each')) {
      expect(codes(http({ url }))).toEqual(['WYRD_SPEC_400_INVALID_OPERATOR']);
    }
    for (const name of texts('operator-forbidden-headers', 'header_each')) {
      expect(codes(http({ headers: { [name]: 'x' } }))).toEqual(['WYRD_SPEC_400_INVALID_OPERATOR']);
    }
  });

  it('takes plain http to loopback only, and an expected status from 100 to 599', () => {
    for (const [url, valid] of Object.entries(one('operators', 'operator-plain-http').given.url_each ?? {})) {
      expect([url, codes(http({ url })).length === 0]).toEqual([url, valid]);
    }
    for (const [status, valid] of Object.entries(
      one('operators', 'operator-expect-status-range').given.expect_status_each ?? {},
    )) {
      expect([status, codes(http({ expect_status: Number(status) })).length === 0]).toEqual([status, valid]);
    }
  });

  it.each([
    ['//evil.example/a', false],
    ['/a\\b', false],
    ['https://hooks.example.com\\@evil.example/', false],
    ['https://a.example/a b', false],
    ['https://a.example/{{ verdict }}?x={{summary}}', true],
    ['https://[::1', false],
    ['HTTPS://A.example/', true],
  ])('judges the URL %s', (url, valid) => {
    const auth = { scheme: 'bearer', connection: 'hooks' };
    expect(codes(http({ url, auth })).length === 0).toBe(valid);
  });

  it('lets group and drift fields be used where there is a group or one drift check', () => {
    const { given } = one('operators', 'operator-group-fields-need-a-group');
    const extra: Specs = { 'Verifier/conversation-check': group };
    const bind = (verifier: string, more: JsonObject) =>
      submit([service({ verified_by: [expandBinding({ verifier, ...more })] })], extra).filter(
        ({ code }) => code === 'WYRD_SPEC_400_INVALID_OPERATOR',
      ).length;
    const text = String(given.text);
    expect(
      bind('conversation-check@1.0.0', {
        runs_on: { kind: 'group_end', after: '1m' },
        on_verdict_change: [slack(text)],
      }),
    ).toBe(0);
    expect(bind('tone@1.0.0', { on_failure: [slack(text)] })).toBe(1);
    expect(bind('steady@1.0.0', { on_failure: [slack(text)] })).toBe(1);
    expect(bind('steady@1.0.0', { on_failure: [slack('{{drift.total_features}}')] })).toBe(0);
    expect(codes(slack(text))).toEqual([]);
  });

  it('refuses every unusable connection alike', () => {
    const { given } = one('operators', 'operator-connection-missing');
    const messages = asList(given.connections_each).map((list) => {
      const find = (provider: string, name: string) =>
        asList(list).find((item) => item.provider === provider && item.name === name) as unknown as
          | Connection
          | undefined;
      const [first] = submit([operator(given.operator ?? null)], {}, find);
      expect(first?.code).toBe('WYRD_SPEC_400_OPERATOR_CONNECTION_UNAVAILABLE');
      return first?.message;
    });
    expect(new Set(messages).size).toBe(1);
  });

  it('wants origin, scheme and header name of the connection', () => {
    const { given } = one('operators', 'operator-authority');
    const connection = Object.assign({ status: 'active' }, given.connection) as unknown as Connection;
    for (const { ok, ...more } of asList(given.operators_each)) {
      expect(submit([operator(http(more))], {}, () => connection).length === 0).toBe(ok);
    }
  });

  it.each(
    asList(one('operators', 'operator-closed-shapes').given.operators).map((spec) => [JSON.stringify(spec), spec]),
  )('refuses the shape of %s', (_, spec) => expect(codes(spec)[0]).toBe('WYRD_REGISTRY_400_INVALID_CARD_SPEC'));
});

describe('schedules.yaml and groups.yaml', () => {
  it.each(['schedule-refused', 'schedule-never-occurs'])('%s', (id) => {
    for (const cron of asList(one('schedules', id).given.cron_each).map(String)) {
      expect([cron, submit([trigger({ kind: 'schedule', cron })])[0]?.code]).toEqual([
        cron,
        'WYRD_SPEC_400_VALIDATION',
      ]);
    }
  });

  it('takes every cron that the cases use', () => {
    const crons = casesOf('schedules').flatMap(({ given, expect: expected }) => {
      const { kind, cron, tz } = (given.trigger ?? {}) as { kind?: string; cron?: string; tz?: string };
      return kind === 'schedule' && !('refused' in expected) ? [{ kind, cron, ...(tz && { tz }) }] : [];
    });
    expect(crons.length).toBeGreaterThan(8);
    for (const spec of crons) expect([spec, submit([trigger(spec as JsonObject)])]).toEqual([spec, []]);
  });

  it('refuses an unknown zone and a removed kind', () => {
    expect(submit([trigger(one('schedules', 'schedule-unknown-zone').given.trigger ?? null)])[0]?.code).toBe(
      'WYRD_SPEC_400_VALIDATION',
    );
    expect(submit([trigger(one('schedules', 'schedule-removed-kind').given.trigger ?? null)])).toHaveLength(1);
    expect(submit([trigger({ kind: 'schedule', cron: '0 * * * *', tz: '+01:00' })])).toHaveLength(1);
  });

  it('reads durations of one year at most', () => {
    const valid = (after: Json) => submit([trigger({ kind: 'group_end', after })]).length === 0;
    for (const after of asList(one('groups', 'group-duration-one-year').given.after_each))
      expect(valid(after)).toBe(true);
    for (const after of asList(one('groups', 'group-duration-refused').given.after_each))
      expect(valid(after)).toBe(false);
  });

  it.each(
    casesOf('groups')
      .filter(({ id }) => id.startsWith('group-source-') && !id.includes('child'))
      .map(({ id }) => [id]),
  )('%s', (id) => {
    const { given, expect: expected } = one('groups', id);
    const extra: Record<string, JsonObject> = {};
    const bindings = asList(given.bindings).map(({ sources, ...entry }) => {
      const name = String(entry.verifier).split('@')[0];
      const inputs = (sources ?? (name === 'conversation-check' ? given.sources : undefined)) as JsonObject | undefined;
      if (inputs !== undefined) extra[`Verifier/${name}`] = { ...group, inputs };
      return expandBinding(entry);
    });
    const findings = submit([service({ verified_by: bindings })], extra);
    const { refused } = expected as { refused?: Refused };
    if (refused === undefined) expect(findings).toEqual([]);
    else expectRefused(findings, refused);
  });

  it('takes a whole slot or an outcome as source, and no slot called group_id', () => {
    const first = (inputs: JsonObject) => {
      const compiled = compile({ api: 'wyrd/v1', spec: { inputs }, dialect: 'flat', references: lenientReferences });
      return compiled.ok ? undefined : compiled.findings[0]?.rule;
    };
    for (const source of asList(one('groups', 'group-source-child-field').given.sources_each))
      expect(first({ t: source })).toBe('source');
    for (const inputs of asList(one('groups', 'group-reserved-slot-name').given.slot_each))
      expect(first(inputs)).toBe('slot');
  });
});

describe('drift.yaml', () => {
  const declarations = casesOf('drift').filter(({ given }) => 'verifier' in given);
  it.each(declarations.map(({ id }) => [id]))('%s', (id) => {
    const { given, expect: expected } = one('drift', id);
    const compiled = compile({
      api: 'wyrd/v1',
      spec: given.verifier ?? null,
      dialect: 'flat',
      references: lenientReferences,
    });
    const first = compiled.ok ? undefined : compiled.findings[0];
    const { code, field } = expected.refused as { code: string; field: string };
    expect([first?.code, first?.details?.field ?? first?.path]).toEqual([code, field]);
  });

  it('compiles the window Verifier of the other cases', () => {
    expect(compile({ api: 'wyrd/v1', spec: window, dialect: 'flat', references: lenientReferences }).ok).toBe(true);
  });
});
