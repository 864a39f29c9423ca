import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '#cli/run-cli.ts';
import { processTerminal } from '#cli/terminal.ts';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { createClient } from '#sdk/index.ts';

/**
 * `npm run example:drift`: starts a host here, declares examples/sunspots with its Parquet file, records a century of samples, waits
 * for the minute of the schedule and draws the window against its baseline. Takes a minute; leaves nothing behind.
 */
const terminal = processTerminal();
const data = await mkdtemp(join(tmpdir(), 'touchstone-drift-'));
const host = await startHost(checkConfig({ port: 0, data }), { log: { info() {}, warn() {}, error() {} } });
try {
  const command = async (...words: readonly string[]) => {
    terminal.out(`\n$ touchstone ${words.join(' ')}\n`);
    const code = await runCli(terminal, ['--url', host.url, ...words]);
    if (code !== 0) throw new Error(`touchstone ${words[0]} ended with ${code}`);
  };
  await command('apply', 'examples/sunspots');
  const client = createClient({ url: host.url });
  await command('drift', 'record', 'steady-sun', 'examples/sunspots/since-1900.csv', '--feature', 'sunspots');
  terminal.out('\nThe schedule judges at the next full minute.\n');
  const executionId = await judged(client, new Date().toISOString());
  await command('executions', executionId);
  await command('drift', 'plot', executionId);
} finally {
  await host.close();
  await rm(data, { recursive: true, force: true });
}

/** The first execution of the schedule whose window ends after the samples were recorded. */
async function judged(client: ReturnType<typeof createClient>, after: string): Promise<string> {
  const until = Date.now() + 130_000;
  while (Date.now() < until) {
    const { items } = await client.listExecutions({ verifier: 'steady-sun' });
    const found = items.find(({ status, created_at }) => status === 'completed' && created_at > after);
    if (found !== undefined) return found.execution_id;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the schedule judged nothing in two minutes');
}
