import type { VerdictWord } from '#contract/result.ts';

/** What a script that calls us branches on. */
export const exitCodes = { passed: 0, failed: 1, inconclusive: 2, refused: 3, serviceError: 4 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeOf: Readonly<Record<VerdictWord, ExitCode>> = {
  passed: exitCodes.passed,
  failed: exitCodes.failed,
  inconclusive: exitCodes.inconclusive,
};
