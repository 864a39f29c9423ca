/** Samples of a property: a fixed sample in `npm test`, twenty times as many in `npm run test:long`. */
export function numRuns(sample: number): number {
  return process.env.TOUCHSTONE_LONG === undefined ? sample : sample * 20;
}
