import { type ObservationsAccepted, observationsAcceptedSchema } from '#contract/requests/observations.ts';
import type { Transport } from './transport.ts';
import { uuidV7 } from './uuid-v7.ts';

/** What was measured of one run of a subject. */
export interface Sample {
  /** Made when it is left out. The same one again counts once. */
  readonly record_id?: string;
  readonly subject_card_uid: string;
  readonly run_id?: string;
  /** RFC 3339; now when it is left out. Which window it falls in is decided by the service's own time. */
  readonly created_at?: string;
  readonly features: Readonly<Record<string, number | string | boolean | null>>;
}

/** Samples of a call (docs/spec/wire.md §9.5). */
const mostRecords = 1_000;

/** Recording samples for Verifiers that judge windows. */
export function sampleCalls(transport: Transport) {
  return {
    /** Durable when it answers, a thousand a batch; a batch is repeated safely under its own id. */
    async recordSamples(samples: readonly Sample[]): Promise<readonly ObservationsAccepted[]> {
      const accepted: ObservationsAccepted[] = [];
      for (let at = 0; at < samples.length; at += mostRecords) {
        const records = samples.slice(at, at + mostRecords).map((sample) => ({
          record_id: uuidV7(),
          created_at: new Date().toISOString(),
          ...sample,
        }));
        const body = JSON.stringify({ batch_id: uuidV7(), records });
        const headers = { 'content-type': 'application/json' };
        const call = { method: 'POST', path: '/v1/observations', headers, body, repeatable: true } as const;
        accepted.push(await transport.call(call, observationsAcceptedSchema));
      }
      return accepted;
    },
  };
}
