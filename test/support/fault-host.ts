import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { verdictOf } from './judged-desk.ts';

/**
 * Run as a process of its own, to be killed at one point: prints its address; asked by a message, answers how many write
 * points it has passed. `at`: the number of a write point (a statement that writes, each step of a
 * transaction, and the moment after a commit), `judge`, or
 * `settle`: between the two dispatches of one settlement.
 */
const [data = '', at = '', workers = '16'] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const killAt = at === 'judge' || at === 'settle' ? Number.POSITIVE_INFINITY : Number(at);
let armed = false;
let points = 0;

function point(): void {
  if (!armed) return;
  points += 1;
  if (points === killAt) die();
}

const { run } = StatementSync.prototype;
StatementSync.prototype.run = function (this: StatementSync, ...values: SQLInputValue[]) {
  point();
  const ran = Reflect.apply(run, this, values);
  if (at === 'settle' && this.sourceSQL.includes('INTO dispatches')) die();
  return ran;
} as typeof run;
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  point();
  exec.call(this, sql);
  if (sql === 'COMMIT') point();
};

const silent = { info() {}, warn() {}, error() {} };
const host = await startHost(
  checkConfig({ port: 0, data, allow_loopback_delivery: true, limits: { background: workers } }),
  {
    log: silent,
    perform: async () => {
      if (at === 'judge') die();
      return verdictOf(at === 'settle' ? 'failed' : 'passed');
    },
  },
);
armed = true;
process.stdout.write(`${host.url}\n`);
process.on('message', () => process.send?.(points));
