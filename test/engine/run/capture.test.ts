import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import type { RequirementResult, StepResult } from '#contract/result.ts';
import { captureEvidence, captureRequirement, captureStep, digestOf } from '#engine/run/capture.ts';

const secret = 's3cr3t';
const requirement: RequirementResult = {
  id: 'r',
  statement: 'S',
  outcome: 'failed',
  reason: `the judge saw ${secret}`,
  reason_code: 'judged_failed',
  actual: [secret, 1],
  expected: 'kept',
  citations: [{ slot: 'doc', locator: { json_pointer: '' }, quote: secret }],
  data: { note: secret },
  check: { kind: 'agent' },
  tool_calls: [
    { tool: 'fs.read', arguments: { path: secret }, returned_bytes: 1, error: { code: 'not_found', message: secret } },
  ],
};
const step: StepResult = {
  id: 's',
  status: 'failed',
  attempts: 1,
  duration_ms: 1,
  output: { text: secret },
  reason: secret,
  reason_code: 'code_exception',
  tool_calls: requirement.tool_calls ?? [],
};

describe('context_capture', () => {
  test('full leaves everything', () => {
    expect(captureRequirement(requirement, 'full')).toBe(requirement);
    expect(captureStep(step, 'full')).toBe(step);
  });

  test.each(['hash', 'redact'] as const)('%s lets no value out', (mode) => {
    const pinned = captureEvidence({ kind: 'json', value: secret }, mode);
    expect(JSON.stringify([captureRequirement(requirement, mode), captureStep(step, mode), pinned])).not.toContain(
      secret,
    );
    expect(captureRequirement(requirement, mode)).toMatchObject({
      outcome: 'failed',
      expected: 'kept',
      reason: 'the judge failed it',
    });
  });

  test('hash can be computed anew by whoever holds the value', () => {
    expect(captureRequirement(requirement, 'hash')).toMatchObject({
      actual: digestOf([secret, 1]),
      data: { sha256: digestOf({ note: secret }) },
      citations: [{ quote: digestOf(secret) }],
      tool_calls: [{ arguments: { sha256: digestOf({ path: secret }) }, error: { code: 'not_found' } }],
    });
    expect(captureStep(step, 'hash').output).toBe(digestOf({ text: secret }));
    expect(captureEvidence({ kind: 'json', value: { b: 1, a: 2 } }, 'hash')).toEqual({
      kind: 'json',
      value: { sha256: digestOf({ a: 2, b: 1 } as JsonObject) },
    });
  });

  test('redact leaves places and drops the rest', () => {
    const redacted = captureRequirement(requirement, 'redact');
    expect(redacted).not.toHaveProperty('actual');
    expect(redacted).not.toHaveProperty('data');
    expect(redacted.citations).toEqual([{ slot: 'doc', locator: { json_pointer: '' } }]);
    expect(redacted.tool_calls?.[0]?.arguments).toEqual({});
    expect(captureEvidence({ kind: 'json', value: 1 }, 'redact')).toEqual({ kind: 'json', value: null });
    expect(captureEvidence({ kind: 'trace', trace_id: 'a' }, 'redact')).toEqual({ kind: 'trace', trace_id: 'a' });
  });
});
