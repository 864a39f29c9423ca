import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { psiCheck } from '#test/support/declare-window.ts';
import { parquetOf } from '#test/support/drift-case.ts';
import { activate, declared, deskOf, until } from './background.ts';
import { awsEndpoint, mapRuns } from './deployment.ts';
import { call, card, declareFile, settledState, sibling, unique } from './target.ts';

function psiSpec(baseline: string): JsonObject {
  return {
    inputs: { sample: { type: 'samples', features: ['latency_ms'] } },
    requirements: [
      {
        id: 'steady',
        statement: 'The latency is what it was',
        check: psiCheck(baseline, 'latency_ms', { kind: 'Quantile', n_bins: 10 }),
      },
      {
        id: 'mean',
        statement: 'The mean latency is about half a second',
        check: {
          kind: 'drift',
          on: 'inputs.sample',
          method: 'Custom',
          signal: { kind: 'Metric', name: 'latency_ms' },
          condition: { kind: 'Statistical' },
          profile: { kind: 'Custom', metric_name: 'latency_ms', baseline_value: 500, alert_threshold: 10 },
        },
      },
    ],
  };
}

describe('drift', () => {
  it('is seen in the window of a schedule, against a Parquet file', { timeout: 400_000 }, async () => {
    const [service, agent, steady, baseline] = ['desk', 'agent', 'steady', 'rows'].map(unique) as [
      string,
      string,
      string,
      string,
    ];
    const { bytes } = parquetOf({ latency_ms: { $range: [0, 1_000, 1] } });
    const data = card('Data', baseline, { interface: { kind: 'Parquet' } });
    const completed = await declareFile(data, 'rows.parquet', new Uint8Array(bytes));
    expect(completed.json?.outcomes, completed.text).toMatchObject([{ status: 'active' }]);
    const uid = await declared([
      card('Verifier', steady, psiSpec(baseline)),
      ...deskOf(service, agent, [
        { verifier: sibling('Verifier', steady), runs_on: { kind: 'schedule', cron: '* * * * *' } },
      ]),
    ]);
    const path = await activate(uid(service), uid(steady));
    const binding = async () => (await call('GET', path)).json;
    await until(binding, ({ readiness }) => readiness === 'ready', 150);

    const records = Array.from({ length: 200 }, (_none, index) => ({
      record_id: v7(),
      subject_card_uid: uid(agent),
      created_at: new Date().toISOString(),
      features: { latency_ms: 900 + index },
    }));
    // All of it in one window: not in the last seconds of a minute.
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 15_000) await sleep(left);
    // More than one batch, and one record twice: only its first value counts.
    const again = { ...records[0], features: { latency_ms: 1e9 } };
    for (const part of [records.slice(0, 90), [...records.slice(90, 150), again]]) {
      const sent = await call('POST', '/v1/observations', { body: { batch_id: v7(), records: part } });
      expect(sent.status, sent.text).toBe(202);
    }
    const body = { batch_id: v7(), records: records.slice(150) };
    const accepted = await call('POST', '/v1/observations', { body });
    expect(accepted.status, accepted.text).toBe(202);
    expect((await call('POST', '/v1/observations', { body })).text).toBe(accepted.text);

    const judged = async () => {
      const { items } = (await call('GET', `${path}/occurrences`)).json;
      const at = Date.parse(accepted.json.ingested_at);
      return items.find(
        (item: { at: string; status: string }) => item.status === 'admitted' && Date.parse(item.at) > at,
      );
    };
    const occurrence = await until(judged, (found) => found !== undefined, 200);
    const { json: state } = await settledState(occurrence.execution_id);
    expect(state.result.outcome).toMatchObject({
      verdict: 'failed',
      requirements: [
        {
          outcome: 'failed',
          provenance: { kind: 'drift' },
          detail: {
            drift: {
              method: 'Psi',
              verdict: 'Drift',
              features: { latency_ms: { verdict: 'Drift', evidence: { Psi: { sample: 200 } } } },
            },
          },
        },
        { detail: { drift: { method: 'Custom', features: { latency_ms: { score: 499.5 } } } } },
      ],
    });
    // One round that read the window of both checks, and one that counted it.
    if (awsEndpoint !== undefined) {
      expect(await mapRuns(occurrence.execution_id)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    }
  });
});
