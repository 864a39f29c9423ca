import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#adapters/embedded/database.ts';

const migrations = ['CREATE TABLE rows (name TEXT PRIMARY KEY) STRICT;'];
let folder: string;
let path: string;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-database-'));
  path = join(folder, 'a.db');
  database = openDatabase(path, { migrations, exclusive: true });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const names = () =>
  database
    .prepare('SELECT name FROM rows ORDER BY name')
    .all()
    .map((row) => row.name);
const insert = (name: string) => () => {
  database.prepare('INSERT INTO rows (name) VALUES (?)').run(name);
  return name;
};

describe('writes that share a commit', () => {
  it('undo only the one that throws', async () => {
    const failing = () => {
      insert('half')();
      throw new Error('refused');
    };
    const writes = [insert('a'), failing, insert('b'), insert('a')].map((work) => database.write<unknown>(work));
    const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(names()).toEqual(['a', 'b']);
  });

  it('are one transaction: nobody is told before all are durable', async () => {
    const order: string[] = [];
    const first = database.write(insert('a')).then(() => order.push('a told'));
    const second = database
      .write(() => {
        order.push('b written');
        return insert('b')();
      })
      .then(() => order.push('b told'));
    await Promise.all([first, second]);
    expect(order).toEqual(['b written', 'a told', 'b told']);
  });

  it('end before the file is closed, and none begins after', async () => {
    const last = database.write(insert('last'));
    await database.close();
    expect(await last).toBe('last');
    await expect(database.write(insert('late'))).rejects.toMatchObject({ name: 'StoreFailure' });
  });
});

describe('the file', () => {
  it('is durable, private and in WAL mode', async () => {
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is migrated step by step and keeps its rows', async () => {
    await database.write(insert('kept'));
    await database.close();
    const more = [...migrations, "ALTER TABLE rows ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';"];
    database = openDatabase(path, { migrations: more, exclusive: true });
    expect(database.prepare('SELECT * FROM rows').get()).toMatchObject({ name: 'kept', colour: 'red' });
    await database.close();
    expect(() => openDatabase(path, { migrations, exclusive: true })).toThrow('newer version');
    database = openDatabase(path, { migrations: more, exclusive: true });
  });

  it('has one owner, unless it is shared', async () => {
    expect(() => openDatabase(path, { migrations, exclusive: true })).toThrow('in use by another process');
    const shared = join(folder, 'b.db');
    const [one, two] = [1, 2].map(() => openDatabase(shared, { migrations, exclusive: false }));
    await one!.write(() => one!.prepare("INSERT INTO rows (name) VALUES ('x')").run());
    expect(two!.prepare('SELECT count(*) AS n FROM rows').get()).toMatchObject({ n: 1 });
    await one!.close();
    await two!.close();
  });
});
