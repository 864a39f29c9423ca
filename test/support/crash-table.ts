import { expect } from 'vitest';
import { type CrashProcess, type CrashWorld, crashWorld, minute } from './crash-world.ts';
import type { Death } from './mortal-process.ts';

/** A piece of background work that is killed at each of its writes, before it is sent and after it was done. */
export interface CrashRow {
  /** Of docs/spec/background.md §11. */
  readonly rows: readonly number[];
  /** What is killed, as a process that does it. */
  readonly killed: string;
  readonly scene: (world: CrashWorld, tenant: string) => Promise<Scene>;
  /** Killed while the judge of its attempt is asked, in place of at its writes. */
  readonly inJudge?: true;
  /** Another process does the same at the same time, and lives. */
  readonly beside?: true;
}

export interface Scene {
  /** What the process does until it dies. */
  work(process: CrashProcess): Promise<unknown>;
  /** Says what must be true right after the death, wherever it was. */
  left(): Promise<void>;
  /** Lets what recovers do so, then says that nothing is lost and nothing doubled. */
  after(): Promise<void>;
}

/** Plays a row: without a death, to know its writes, then once a death, each for a tenant of its own. */
export async function expectRow({ scene, inJudge, beside }: CrashRow): Promise<void> {
  await using world = await crashWorld();
  let made = 0;
  const play = async (process: CrashProcess, name: string) => {
    made += 1;
    const one = await scene(world, `t${made}`);
    try {
      const other = beside ? one.work(world.process()) : null;
      const end = await one.work(process).catch((error: unknown) => error);
      await other;
      if (end instanceof Error && !process.life.isDead()) throw end;
      await one.left();
      await one.after();
    } catch (error) {
      throw new Error(`killed ${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  };
  if (inJudge) {
    const killed = world.process({
      judge: async (life) => {
        life.kill();
        throw new Error('the process is dead');
      },
    });
    await play(killed, 'in its judge');
    expect(killed.life.isDead()).toBe(true);
    return;
  }
  // The first process of a deployment publishes what the others find.
  await play(world.process(), 'nowhere');
  const whole = world.process();
  await play(whole, 'nowhere');
  expect(whole.life.writes.length).toBeGreaterThan(0);
  for (const [index, name] of whole.life.writes.entries()) {
    for (const when of ['before', 'after'] as const) {
      const death: Death = { write: index + 1, when };
      const process = world.process({ death });
      await play(process, `${when} write ${death.write} (${name})`);
      // Beside another its later writes may be the other's.
      if (!beside) expect(process.life.isDead(), `${when} write ${death.write}`).toBe(true);
    }
  }
}

/** Lets machines and sweeps do their work, minute by minute, until the tenant has none left. */
export async function comeToRest(world: CrashWorld, tenant: string): Promise<CrashProcess> {
  const process = world.process();
  const { attempts, dueRows } = process.ports;
  for (let look = 0; look < 40; look += 1) {
    await process.play();
    await process.sweep();
    await process.play();
    const due = await dueRows.due({ now: Number.MAX_SAFE_INTEGER / 1_000, limit: 1_000 });
    if ((await attempts.unsettled(tenant)) === 0 && !due.some((row) => row.tenant === tenant)) return process;
    world.pass(minute);
  }
  throw new Error('it never came to rest');
}
