import type { Clock } from '#service/ports.ts';
import { type AwsStore, anotherProcess } from './aws-store.ts';

/** A point of a process: before or after its n-th call that writes. */
export interface Death {
  readonly write: number;
  readonly when: 'before' | 'after';
}

export interface MortalProcess extends AwsStore {
  /** Names of its calls that wrote so far. */
  readonly writes: readonly string[];
  isDead(): boolean;
  /** Dies now, whatever it is at. */
  kill(): void;
}

const writing = /^(Put|Update|Delete|TransactWrite|BatchWrite|Create|Complete|Copy|Start)/;

/** A process on a store that dies at a point: from then on nothing of it reaches the store, and it learns nothing more. */
export function mortalProcess(shared: AwsStore, clock: Clock, death?: Death): MortalProcess {
  const store = anotherProcess(shared, { clock });
  const writes: string[] = [];
  let dead = false;
  const live = (write: number, when: Death['when']) => {
    if (death?.write === write && death.when === when) dead = true;
    if (dead) throw new Error('the process is dead');
  };
  for (const client of Object.values(store.clients)) {
    client.middlewareStack.add(
      (next: (given: unknown) => Promise<unknown>, { commandName = '' }: { readonly commandName?: string }) =>
        async (given: unknown) => {
          // 0: it only reads.
          const write = writing.test(commandName) && !dead ? writes.push(commandName) : 0;
          live(write, 'before');
          try {
            return await next(given);
          } finally {
            live(write, 'after');
          }
        },
      { step: 'initialize' },
    );
  }
  return {
    ...store,
    writes,
    isDead: () => dead,
    kill() {
      dead = true;
    },
  };
}
