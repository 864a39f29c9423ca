import type { Workflow } from '#service/ports/attempts.ts';

export interface WorkQueue extends Workflow {
  /** Takes nothing more and forgets what waits, which the store still knows; resolves when what runs has ended. */
  close(): Promise<void>;
}

export interface WorkQueueOptions {
  /** One attempt; never rejects. */
  readonly run: (tenant: string, executionId: string) => Promise<void>;
  /** Attempts at once, of all tenants. With 0 nothing runs. */
  readonly perHost: number;
  readonly perTenant: number;
}

/**
 * Runs started executions in this process, tenants in turn, each in the order of its starts (docs/spec/background.md
 * §1.4). It only holds names: the outbox in the store is what lasts.
 */
export function workQueue({ run, perHost, perTenant }: WorkQueueOptions): WorkQueue {
  const waiting = new Map<string, Set<string>>();
  const running = new Map<string, Map<string, Promise<void>>>();
  let total = 0;
  let closed = false;

  /** The tenant whose turn it is and may run one more; it goes to the end of the line. */
  const take = (): { readonly tenant: string; readonly id: string } | null => {
    for (const [tenant, ids] of waiting) {
      if ((running.get(tenant)?.size ?? 0) >= perTenant) continue;
      const [id] = ids;
      waiting.delete(tenant);
      if (id === undefined) continue;
      ids.delete(id);
      if (ids.size > 0) waiting.set(tenant, ids);
      return { tenant, id };
    }
    return null;
  };

  const pump = () => {
    while (!closed && total < perHost) {
      const next = take();
      if (next === null) return;
      launch(next.tenant, next.id);
    }
  };

  const launch = (tenant: string, id: string) => {
    const own = running.get(tenant) ?? new Map<string, Promise<void>>();
    running.set(tenant, own);
    total += 1;
    const ended = run(tenant, id).finally(() => {
      total -= 1;
      own.delete(id);
      if (own.size === 0) running.delete(tenant);
      pump();
    });
    own.set(id, ended);
  };

  return {
    async start(tenant, executionId) {
      if (closed || running.get(tenant)?.has(executionId)) return;
      const ids = waiting.get(tenant) ?? new Set<string>();
      ids.add(executionId);
      waiting.set(tenant, ids);
      pump();
    },
    async close() {
      closed = true;
      waiting.clear();
      await Promise.all([...running.values()].flatMap((own) => [...own.values()]));
    },
  };
}
