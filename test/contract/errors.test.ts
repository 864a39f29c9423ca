import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errors, isErrorCode, Problem, toProblem, toProblemDocument } from '#contract/errors.ts';

const specs = ['wire', 'background', 'verification', 'governance'].map((name) =>
  readFileSync(new URL(`../../docs/spec/${name}.md`, import.meta.url), 'utf8'),
);

/** Codes that only clients make, and names that are variables. */
const foreign = /^WYRD_(?:CLIENT|SDK)_/;

describe('the table of error codes', () => {
  it('has every code that the specification names', () => {
    const named = new Set(
      specs.flatMap((text) => text.match(/\b(?:WYRD|TOUCHSTONE)(?:_[A-Z]+)+_\d{3}_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []),
    );
    expect(named.size).toBeGreaterThan(50);
    expect([...named].filter((code) => !foreign.test(code) && !isErrorCode(code))).toEqual([]);
  });

  it('has every code that the table of wire.md §3.4 shortens', () => {
    const rows = specs[0]?.match(/^\| `WYRD_.*$/gm) ?? [];
    const expanded = rows.flatMap((row) => {
      const [, family = '', status = ''] = /`(WYRD_[A-Z]+)_(\d{3})_/.exec(row) ?? [];
      const short = row.split('|')[1]?.match(/`…_[A-Z0-9_]+`/g) ?? [];
      return short
        .map((text) => text.slice(3, -1))
        .map((name) => `${family}_${/^\d/.test(name) ? '' : `${status}_`}${name}`);
    });
    expect(expanded.length).toBeGreaterThan(35);
    expect(expanded.filter((code) => !isErrorCode(code))).toEqual([]);
  });

  it('has every governance name of the table of §11', () => {
    const rows = specs[3]?.match(/^\| (\d{3}) \| ([A-Z_, ()a-z]+) \|$/gm) ?? [];
    const codes = rows.flatMap((row) => {
      const [, status = '', names = ''] = row.split('|').map((cell) => cell.trim());
      return (names.match(/[A-Z][A-Z_]+[A-Z]/g) ?? []).map((name) => `TOUCHSTONE_GOVERNANCE_${status}_${name}`);
    });
    expect(codes.length).toBeGreaterThan(35);
    expect(codes.filter((code) => !isErrorCode(code))).toEqual([]);
  });

  it.each(Object.entries(errors))(
    '%s: status from its name, texts that say something',
    (code, { status, title, remediation }) => {
      expect(code).toContain(`_${status}_`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(title.length).toBeGreaterThan(2);
      expect(remediation).toMatch(/\.$/);
    },
  );

  it('marks as retryable what may succeed unchanged later', () => {
    expect(errors.WYRD_VERIFICATION_429_STAGING_FULL.retryable).toBe(true);
    expect(errors.WYRD_SPEC_500_INTERNAL.retryable).toBe(true);
    expect(errors.WYRD_REGISTRY_507_ARTIFACT_VERIFY_FAILED.retryable).toBe(false);
    expect(errors.WYRD_SPEC_400_VALIDATION.retryable).toBe(false);
    expect(errors.TOUCHSTONE_GOVERNANCE_409_CONCURRENT_WRITE.retryable).toBe(true);
  });

  it('knows no inherited names', () => {
    expect(isErrorCode('constructor')).toBe(false);
    expect(isErrorCode('__proto__')).toBe(false);
  });
});

describe('problems', () => {
  it('are documents with the members of the wire', () => {
    const problem = new Problem('WYRD_VERIFICATION_400_INPUT_INVALID', 'input answer: of another kind', {
      slot: 'answer',
    });
    expect(toProblemDocument(problem)).toEqual({
      type: 'https://touchstone.dev/problems/WYRD_VERIFICATION_400_INPUT_INVALID',
      title: 'Invalid verification input',
      status: 400,
      code: 'WYRD_VERIFICATION_400_INPUT_INVALID',
      detail: 'input answer: of another kind',
      details: { slot: 'answer' },
      remediation: errors.WYRD_VERIFICATION_400_INPUT_INVALID.remediation,
    });
  });

  it('carry every finding, and the first refusing one also by itself', () => {
    const warning = {
      code: 'WYRD_SPEC_400_VALIDATION',
      path: 'a',
      rule: 'statement',
      message: 'empty',
      severity: 'warning',
    } as const;
    const refusal = {
      code: 'WYRD_DRIFT_400_VALIDATION',
      path: 'b',
      rule: 'drift',
      message: 'no',
      details: { field: 'condition' },
    } as const;
    const problem = toProblem([warning, refusal]);
    expect(problem).toMatchObject({ code: 'WYRD_DRIFT_400_VALIDATION', detail: 'no' });
    expect(problem.details).toMatchObject({ rule: 'drift', path: 'b', field: 'condition' });
    expect(problem.details?.findings).toEqual([
      { code: warning.code, path: 'a', rule: 'statement', message: 'empty', severity: 'warning' },
      { code: refusal.code, path: 'b', rule: 'drift', message: 'no' },
    ]);
  });
});
