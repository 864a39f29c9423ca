/** Raised by any change of any output (docs/spec/verification.md §4.3). */
export const extractVersion = 'touchstone-extract/1';
