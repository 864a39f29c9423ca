import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verdictTree } from '#cli/output/verdict-tree.ts';
import { type Paint, processTerminal } from '#cli/terminal.ts';
import { startHost } from '#local/host.ts';
import { type Client, createClient } from '#sdk/index.ts';
import { type Expectation, readExpectations } from './examples/expectations.ts';
import { chooseJudgeModel } from './examples/judge-model.ts';
import { applyExample, differences, judge } from './examples/run-example.ts';

/**
 * Starts a host here, declares examples/refund-desk and verifies good and bad work of its agent. Ends with 0 only when
 * every verdict is the expected one. Leaves nothing behind.
 */
const terminal = processTerminal();
const { paintOut: paint } = terminal;
const folder = fileURLToPath(new URL('../examples/refund-desk', import.meta.url));
const say = (...lines: readonly string[]) => terminal.out(`${lines.join('\n')}\n`);

async function quickstart(): Promise<boolean> {
  const started = performance.now();
  const data = await mkdtemp(join(tmpdir(), 'touchstone-quickstart-'));
  // Ctrl-C ends the process at once; `finally` would not be reached.
  process.once('SIGINT', () => {
    rmSync(data, { recursive: true, force: true });
    process.exit(130);
  });
  const model = await chooseJudgeModel(data, terminal.environment);
  try {
    const host = await startHost(model.config, { environment: terminal.environment, log: quiet });
    try {
      const client = createClient({ url: host.url });
      const declared = await applyExample(client, folder);
      say('', paint('bold', 'Touchstone verifies the work of AI agents. Here it checks a refund desk.'), '');
      say(`  host      ${host.url}, data in a temporary folder`);
      say(`  Cards     ${declared} declared from examples/refund-desk`);
      say(`  judge     ${model.description}`);
      const wrong = await verifyAll(client, await readExpectations(folder), model.recorded !== undefined);
      sayResult(wrong, (performance.now() - started) / 1_000);
      return wrong === 0;
    } finally {
      await host.close();
    }
  } finally {
    await model.recorded?.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** Problems come back as verdicts and errors; the host's own log would only tell them twice. */
const quiet = { info() {}, warn() {}, error() {} };

async function verifyAll(client: Client, expectations: readonly Expectation[], isReplayed: boolean): Promise<number> {
  let wrong = 0;
  for (const expected of expectations) {
    say('', paint('bold', `── ${expected.title} ${'─'.repeat(Math.max(2, 74 - expected.title.length))}`), '');
    const judged = await judge(client, folder, expected);
    terminal.out(verdictTree(judged.result, judged.cited, paint));
    const found = differences(judged, expected, isReplayed);
    for (const difference of found) say(paint('red', `not as expected: ${difference}`));
    if (found.length > 0) wrong += 1;
  }
  return wrong;
}

function sayResult(wrong: number, seconds: number): void {
  const line =
    wrong === 0
      ? paint('green', 'Every verdict is as expected')
      : paint('red', `${wrong} verdicts are not as expected`);
  say('', `${paint('bold', line)} ${paint('dim', `(${seconds.toFixed(1)} s)`)}`, '', ...nextSteps(paint), '');
}

function nextSteps(mark: Paint): readonly string[] {
  const command = (text: string) => `  ${mark('cyan', `npm run touchstone -- ${text}`)}`;
  return [
    mark('bold', 'Try next'),
    `${command('serve')}   ${mark('dim', '(leave it running, the rest in another terminal)')}`,
    command('apply examples/refund-desk'),
    command(`verify refund-complete --slot refund='{"order":"T-1","amount":5,"paid":9,"currency":"EUR"}'`),
    command('check examples/refund-desk'),
    '  Break a line of examples/refund-desk/refund-complete.yaml first. docs/writing-verifiers.md shows the rest.',
  ];
}

process.exitCode = (await quickstart()) ? 0 : 1;
