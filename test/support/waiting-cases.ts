/**
 * Cases that cannot pass yet because what they need comes with a later part of the product. A case that passes while it
 * stands here fails its test, so the lists can only shrink.
 */

/** Wait, through HTTP only, for the evidence issue: receiving traces. */
const waitsForTraces: readonly string[] = [
  'trace-all-names',
  'trace-all-names-superset',
  'trace-attribute-dotted',
  'trace-attribute-missing',
  'trace-attribute-missing-not-contains',
  'trace-attribute-missing-text',
  'trace-duration',
  'trace-event',
  'trace-events-none',
  'trace-filter-exists',
  'trace-filter-nested',
  'trace-filter-none',
  'trace-filter-number',
  'trace-filter-or',
  'trace-first-name',
  'trace-index-past-end',
  'trace-kind',
  'trace-length-function',
  'trace-malformed-filter',
  'trace-negation',
  'trace-no-spans',
  'trace-not-landed-direct',
  'trace-not-landed-queued',
  'trace-order-wrong',
  'trace-read-once',
  'trace-regex-operator',
  'trace-root',
  'trace-root-parent',
  'trace-single-match-collection',
  'trace-slice',
  'trace-status-description',
  'trace-status-error',
  'trace-store-failed',
  'trace-store-failed-queued',
  'trace-store-timeout',
];

const http = new Set(waitsForTraces);

export function waitsForHttp(id: string): boolean {
  return http.has(id);
}

/** Wait for the delivery of Operators, and for replay. */
const background = new Set(['execution-settle-is-atomic', 'schedule-unready-skips']);

export function waitsForBackground(id: string): boolean {
  return background.has(id);
}
