import { assembleTrace } from '#engine/trace/assemble.ts';
import type { Spans, StoredTrace } from '../ports/spans.ts';
import type { Clock, TraceReply, Traces } from '../ports.ts';

export interface TraceRules {
  /** A trace has landed when nothing of it arrived for so long, in milliseconds. */
  readonly settling_ms: number;
}

/** A reader waits as long as this many settling times for a trace that still grows. */
const patience = 5;

/**
 * Traces as they are judged (docs/spec/verification.md §9.2, §9.5): read once nothing of them has arrived for the settling
 * time. A reader waits for that; a trace that goes on growing has not landed.
 */
export function tracesOf(
  { spans, clock }: { readonly spans: Spans; readonly clock: Clock },
  { settling_ms }: TraceRules,
): Traces {
  return {
    async read(tenant, traceId, signal): Promise<TraceReply> {
      const id = traceId.toLowerCase();
      const until = clock.now() + patience * settling_ms;
      for (;;) {
        const stored = await find(spans, tenant, id);
        if (stored === 'failed') return { kind: 'failed' };
        if (stored === null) return { kind: 'not_found' };
        const wait = stored.newest_at + settling_ms - clock.now();
        if (wait <= 0) return assemble(id, stored);
        if (clock.now() + wait > until) return { kind: 'not_landed' };
        await clock.sleep(wait, signal);
      }
    },
  };
}

async function find(spans: Spans, tenant: string, traceId: string): Promise<StoredTrace | null | 'failed'> {
  try {
    return await spans.find(tenant, traceId);
  } catch {
    return 'failed';
  }
}

/** Too many spans, too many bytes or a time that is none: nobody can judge it. */
function assemble(traceId: string, stored: StoredTrace): TraceReply {
  const assembled = stored.is_cut ? null : assembleTrace(traceId, stored.spans);
  return assembled?.ok ? { kind: 'trace', trace: assembled.trace } : { kind: 'failed' };
}
