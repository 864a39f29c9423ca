import { driftOf, fitOf } from './drift.ts';

/** The window that `window.ts` fills and `read-window.ts` counts. */
export const tenant = 'main';
export const look = { subject_card_uid: 'agent', from: 0, to: 1e15, features: ['latency'] };
export const check = { spec: driftOf, fit: fitOf };
