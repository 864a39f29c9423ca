import { describe, expect, it } from 'vitest';
import type { OpenStores } from './background-world.ts';
import { type DeliveryCase, deliveryCases, variantsOf } from './delivery-case.ts';
import { msOf } from './execution-case.ts';
import { type DeliveryRun, runDeliveryCase } from './run-delivery-case.ts';

/** The cases of delivery.yaml on the stores of one host, over real HTTP, on a clock that the case moves. */
export function deliveryConformance(name: string, open: OpenStores): void {
  describe(`conformance of delivery: ${name}`, () => {
    it('the cases are there', () => expect(deliveryCases().length).toBeGreaterThanOrEqual(17));

    for (const one of deliveryCases()) {
      it(`${one.id}: ${one.title}`, { timeout: 60_000 }, async () => {
        const { operators } = one.given;
        if (operators) return expectRun(one, await runDeliveryCase(open, operators));
        for (const given of variantsOf(one)) expectRun(one, await runDeliveryCase(open, [given]));
      });
    }
  });
}

function expectRun({ expect: expected }: DeliveryCase, run: DeliveryRun): void {
  const [dispatch] = run.dispatches;
  if (expected.status) expect(dispatch?.status).toBe(expected.status);
  if (expected.attempts !== undefined) expect(dispatch?.attempts).toBe(expected.attempts);
  if (expected.attempts_at) expect(run.attempts_at).toEqual(expected.attempts_at.map((at) => msOf(at) / 1_000));
  if (expected.attempt_seconds !== undefined) expect(run.attempt_seconds[0]).toBe(expected.attempt_seconds);
  if (expected.error) expect(dispatch?.error).toBe(expected.error.code);
  if (expected.error === null) expect(dispatch?.error).toBeNull();
  if (expected.requests !== undefined) expect(run.calls).toHaveLength(expected.requests);
  if (expected.called) expect(run.called).toEqual([expected.called]);
  if (expected.idempotency_keys) {
    const keys = run.calls.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(keys.map(() => dispatch?.dispatch_id));
  }
  if (expected.dispatches) {
    expect(run.dispatches.map(({ status }) => status)).toEqual(expected.dispatches.map(({ status }) => status));
  }
  if (expected.verdict) expect(run.verdict).toBe(expected.verdict);
  if (expected.found_nowhere) {
    // The provider got it, so there was something to find.
    expect(JSON.stringify(run.calls)).toContain(expected.found_nowhere);
    expect(run.said).not.toContain(expected.found_nowhere);
  }
}
