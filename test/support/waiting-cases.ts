/**
 * Cases that cannot pass yet because what they need comes with a later part of the product. A case that passes while it
 * stands here fails its test, so the lists can only shrink.
 */

/** Wait for the evidence issue: extraction of pdf, pptx, docx and xlsx, and the fixtures of these formats. */
const waitsForDocuments: readonly string[] = [
  'cite-at-docx-block',
  'cite-at-pdf-page',
  'cite-at-pdf-page-past-end',
  'cite-at-pdf-page-zero',
  'cite-at-pdf-region',
  'cite-at-pdf-region-page',
  'cite-at-pdf-slide',
  'cite-at-pptx-page',
  'cite-at-pptx-pointer',
  'cite-at-xlsx-format',
  'fault-27-scan-plain',
  'fault-27-scan-required-text',
  'fault-27-slide-order',
  'fault-28-entries',
  'fault-28-flate',
  'fault-28-pages',
];

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

const engine = new Set(waitsForDocuments);

const http = new Set([...engine, ...waitsForTraces]);

export function waitsForHttp(id: string): boolean {
  return http.has(id);
}

export function waitsForEngine(id: string): boolean {
  return engine.has(id);
}

/** Wait for the delivery of Operators, and for replay. */
const background = new Set(['execution-settle-is-atomic', 'execution-replay-same-result']);

export function waitsForBackground(id: string): boolean {
  return background.has(id);
}
