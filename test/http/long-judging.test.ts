import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Clock } from '#service/ports.ts';
import { desk, makeHost, type TestHost, uidsOf } from '#test/support/embedded-host.ts';

/** Comparisons that take some tens of milliseconds each and cannot be interrupted. */
function manyPatterns(count: number): JsonObject {
  return {
    inputs: { answer: { type: 'json' } },
    context_capture: 'redact',
    requirements: Array.from({ length: count }, (_, position) => ({
      id: `r${position}`,
      statement: 's',
      check: {
        kind: 'assert',
        each: 'inputs.answer',
        operator: { kind: 'not_matches_regex', pattern: `[ab]*a[ab]{${180 + (position % 20)}}c` },
      },
    })),
  };
}

async function declareDesk(host: TestHost, spec: JsonObject) {
  return uidsOf(await host.declare(desk({ version: '1.0.0' }, spec)));
}

async function judge(host: TestHost, uids: Readonly<Record<string, string>>, texts = 2) {
  const inputs = { answer: { kind: 'json', value: Array.from({ length: texts }, () => 'ab'.repeat(120_000)) } };
  return host.call('POST', '/v1/verification/execute', {
    body: { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'], inputs },
  });
}

describe('while one call judges for long', () => {
  it('the host has its turns in between', async () => {
    await using host = await makeHost();
    const uids = await declareDesk(host, manyPatterns(60));
    // The first call also loads the engine and compiles the patterns.
    await judge(host, uids);
    const delays = monitorEventLoopDelay({ resolution: 5 });
    const started = performance.now();
    delays.enable();
    const judged = await judge(host, uids);
    delays.disable();
    expect(judged.json.outcome.verdict).toBe('passed');
    expect(delays.max / 1e6).toBeLessThan((performance.now() - started) / 3);
  });

  it('the deadline ends it', async () => {
    // Waits are a twentieth as long, so that no machine is fast enough to judge it all before.
    const clock: Clock = { now: systemClock.now, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };
    await using host = await makeHost({ limits: { execute_seconds: 1 } }, { clock });
    const judged = await judge(host, await declareDesk(host, manyPatterns(495)), 4);
    expect([judged.status, judged.json.code]).toEqual([504, 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT']);
  });
});
