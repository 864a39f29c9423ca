import { expect, it } from 'vitest';
import { workQueue } from '#adapters/embedded/work-queue.ts';

/** A queue whose attempts end when the test says so. */
function scripted(perHost: number, perTenant: number) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = workQueue({
    perHost,
    perTenant,
    run: (tenant, id) => {
      started.push(`${tenant}/${id}`);
      return new Promise((resolve) => ends.set(`${tenant}/${id}`, resolve));
    },
  });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const start = async (...names: readonly string[]) => {
    for (const name of names) {
      const [tenant = '', id = ''] = name.split('/');
      await queue.start(tenant, id, 1);
    }
  };
  return { queue, started, start, end };
}

it('runs so many at once on a host and of a tenant, tenants in turn', async () => {
  const { started, start, end } = scripted(3, 2);
  await start('a/1', 'a/2', 'a/3', 'a/4', 'b/1', 'b/2');
  expect(started).toEqual(['a/1', 'a/2', 'b/1']);
  await end('a/1');
  expect(started.at(-1)).toBe('a/3');
  await end('a/2');
  expect(started.at(-1)).toBe('b/2');
  await end('b/1');
  expect(started).toHaveLength(6);
});

it('starts what is waiting or running once, and what has ended again', async () => {
  const { started, start, end } = scripted(1, 1);
  await start('a/1', 'a/1', 'a/2', 'a/2');
  await end('a/1');
  await end('a/2');
  expect(started).toEqual(['a/1', 'a/2']);
  await start('a/1');
  expect(started).toEqual(['a/1', 'a/2', 'a/1']);
});

it('runs nothing without workers', async () => {
  const { queue, started, start } = scripted(0, 1);
  await start('a/1');
  await queue.close();
  expect(started).toEqual([]);
});

it('closes when what runs has ended, and starts nothing more', async () => {
  const { queue, started, start, end } = scripted(1, 1);
  await start('a/1', 'a/2');
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  await end('a/1');
  await closing;
  await start('a/3');
  expect(started).toEqual(['a/1']);
});
