import { metrics } from '#contract/aws-names.ts';
import type { Attempts } from '#service/ports/attempts.ts';
import { isStoreFailure } from '#service/ports/store-failure.ts';
import type { CountMetric } from './count-metric.ts';

/** The same ports, with each call that a store gave up counted. Members are functions, or ports of functions. */
export function countStoreFailures<Ports extends object>(ports: Ports, count: CountMetric): Ports {
  const note = (error: unknown): never => {
    if (isStoreFailure(error)) count(metrics.storeFailures, 1);
    throw error;
  };
  const counted =
    (call: (...given: unknown[]) => unknown, of: object) =>
    (...given: unknown[]): unknown => {
      const answer = Reflect.apply(call, of, given);
      return answer instanceof Promise ? answer.catch(note) : answer;
    };
  return new Proxy(ports, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (isFunction(member)) return counted(member, target);
      return typeof member === 'object' && member !== null ? countStoreFailures(member, count) : member;
    },
  });
}

function isFunction(member: unknown): member is (...given: unknown[]) => unknown {
  return typeof member === 'function';
}

/** The same port, with each execution that ends `errored` counted, by whatever write it ends. */
export function countErrored(attempts: Attempts, count: CountMetric): Attempts {
  const note = (written: boolean, status: string) => {
    if (written && status === 'errored') count(metrics.erroredExecutions, 1);
    return written;
  };
  return {
    ...attempts,
    settle: async (tenant, id, lease, settled) =>
      note(await attempts.settle(tenant, id, lease, settled), settled.status),
    release: async (tenant, id, release) => note(await attempts.release(tenant, id, release), release.to),
  };
}
