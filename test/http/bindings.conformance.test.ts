import { describe, expect, it } from 'vitest';
import { allBindingCases } from '#test/support/binding-case.ts';
import { playOverHttp } from '#test/support/binding-http.ts';

describe('conformance of bindings over HTTP', () => {
  const cases = allBindingCases();
  it('the cases are there', () => expect(cases.length).toBeGreaterThanOrEqual(17));

  it.each(cases.map((one) => [one.id, one.title, one] as const))(
    '%s: %s',
    { timeout: 60_000 },
    async (_id, _title, one) => playOverHttp(one),
  );
});
