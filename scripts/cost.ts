import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { attemptDefinition } from '../lib/machine/definition.ts';

/**
 * `node scripts/cost.ts`: writes docs/cost.md from what the journeys asked of the local AWS (docs/data/aws-units.json,
 * made by `npm run units`), the prices of docs/data/aws-prices.json and the state machine's definition.
 */
const root = new URL('../', import.meta.url);
const number = z.number().nonnegative();
const pricesSchema = z
  .object({
    region: z.string(),
    date: z.iso.date(),
    note: z.string(),
    sources: z.array(z.url()),
    assumed: z.object({
      note: z.string(),
      milliseconds: z.record(z.string(), number),
      log_bytes_a_call: number,
      log_bytes_an_attempt: number,
    }),
  })
  .catchall(number);
const unitsSchema = z.object({
  result_bytes: number,
  journeys: z.record(
    z.string(),
    z.object({ calls: z.record(z.string(), number), write: number, index_write: number, read: number }),
  ),
});

type Prices = z.infer<typeof pricesSchema>;
type Journeys = z.infer<typeof unitsSchema>['journeys'];

/** One row of the table: what is asked, and what it costs a million times. */
interface Row {
  readonly title: string;
  readonly parts: Readonly<Record<string, number>>;
}

const memory: Readonly<Record<string, number>> = { Verify: 1_769, Sweep: 1_769 };
/** Share of calls that are traced by the platform's default sampling. */
const traced = 0.05;
const secondsOfMonth = 30 * 86_400;
/** Begin, Claim, AfterClaim, Advance, AfterAdvance, Decide, AfterDecide, Done (test/lib/machine.test.ts). */
const transitionsOfAssertions = 8;

function read(path: string): Promise<string> {
  return readFile(fileURLToPath(new URL(path, root)), 'utf8');
}

function priceOf(prices: Prices, name: string): number {
  const value = prices[name];
  if (typeof value !== 'number') throw new Error(`docs/data/aws-prices.json has no ${name}`);
  return value;
}

/** Calls of functions, with their log lines and traces. */
function lambdaCost(prices: Prices, names: readonly string[]): number {
  const { milliseconds, log_bytes_a_call } = prices.assumed;
  const each = names.map((name) => {
    const gigabyteSeconds = ((milliseconds[name] ?? 0) / 1_000) * ((memory[name] ?? 1_024) / 1_024);
    return priceOf(prices, 'lambda_request') + gigabyteSeconds * priceOf(prices, 'lambda_gigabyte_second_arm');
  });
  const logs = (names.length * log_bytes_a_call * priceOf(prices, 'log_gigabyte')) / 1e9;
  return each.reduce((sum, cost) => sum + cost, 0) + logs;
}

function storeCost(prices: Prices, journeys: Journeys, name: string): Record<string, number> {
  const journey = journeys[name];
  if (journey === undefined) throw new Error(`docs/data/aws-units.json has no ${name}`);
  const calls = (prefix: string) =>
    Object.entries(journey.calls).reduce((sum, [call, count]) => (call.startsWith(prefix) ? sum + count : sum), 0);
  return {
    DynamoDB:
      (journey.write + journey.index_write) * priceOf(prices, 'dynamodb_write_unit') +
      journey.read * priceOf(prices, 'dynamodb_read_unit'),
    S3: calls('s3.Put') * priceOf(prices, 's3_put') + (calls('s3.Get') + calls('s3.Head')) * priceOf(prices, 's3_get'),
    'Secrets Manager': calls('secrets.') * priceOf(prices, 'secrets_call'),
  };
}

function request(prices: Prices, journeys: Journeys, title: string, journey: string, target: string): Row {
  return {
    title,
    parts: {
      'API Gateway': priceOf(prices, 'api_request'),
      Lambda: lambdaCost(prices, [target]),
      ...storeCost(prices, journeys, journey),
      'X-Ray': priceOf(prices, 'trace') * traced,
    },
  };
}

/** What the state machine adds to a submit: three calls of functions, its transitions, and the look at the stream. */
function attempt(prices: Prices, journeys: Journeys): Row {
  return {
    title: 'its judgment in the background, assertions only',
    parts: {
      'Step Functions': transitionsOfAssertions * priceOf(prices, 'state_transition'),
      Lambda: lambdaCost(prices, ['Advance', 'Advance', 'Settle', 'Outbox']),
      'Log of the machine': (prices.assumed.log_bytes_an_attempt * priceOf(prices, 'log_gigabyte')) / 1e9,
      ...storeCost(prices, journeys, 'attempt_of_assertions_only'),
    },
  };
}

function rowsOf(prices: Prices, journeys: Journeys): readonly Row[] {
  const make = (title: string, journey: string, target: string) => request(prices, journeys, title, journey, target);
  return [
    make('execute, warm, assertions only', 'verify_warm', 'Verify'),
    make('execute, first call of a process', 'verify_cold', 'Verify'),
    make('submit: accepted', 'submit', 'Submit'),
    attempt(prices, journeys),
    make('read a state that is pending', 'status_while_pending', 'Api'),
    make('read a state with its result', 'status_with_result', 'Api'),
    make('list fifty executions', 'list_of_fifty', 'Api'),
    make('plan the upload of one new file', 'evidence_plan_of_one_new_file', 'Api'),
    make('declare a Service and a Verifier', 'declare_service_and_verifier', 'Api'),
  ];
}

function standing(prices: Prices, journeys: Journeys): readonly (readonly [string, number])[] {
  const sweeps = secondsOfMonth / 60;
  const sweep = Object.values(storeCost(prices, journeys, 'sweep_that_finds_nothing')).reduce(
    (sum, one) => sum + one,
    0,
  );
  return [
    ['sweep once a minute', sweeps * (sweep + lambdaCost(prices, ['Sweep']) + priceOf(prices, 'schedule_call'))],
    ['31 alarms', 31 * priceOf(prices, 'alarm_month')],
    ['10 metrics of our own', 10 * priceOf(prices, 'metric_month')],
    ['2 secrets', 2 * priceOf(prices, 'secret_month')],
    ['2 keys of KMS', 2 * priceOf(prices, 'key_month')],
  ];
}

const dollars = (value: number) => (value === 0 ? '–' : value.toFixed(2));

function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ parts }) => Object.keys(parts)))];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['a million times', ...names, 'sum, USD']),
    line(['---', ...names.map(() => '--:'), '--:']),
    ...rows.map(({ title, parts }) => {
      const sum = Object.values(parts).reduce((total, part) => total + part, 0);
      return line([title, ...names.map((name) => dollars((parts[name] ?? 0) * 1e6)), `**${dollars(sum * 1e6)}**`]);
    }),
  ].join('\n');
}

/** What nobody measured, and the tables above rest on. */
function assumptions(prices: Prices): string {
  const { milliseconds, log_bytes_a_call, log_bytes_an_attempt } = prices.assumed;
  const billed = Object.entries(milliseconds).map(
    ([name, time]) => `| ${name}, ${memory[name] ?? 1_024} MB | ${time} ms a call |`,
  );
  return [
    '| assumed | value |',
    '|---|---|',
    ...billed,
    `| log lines of a call | ${log_bytes_a_call} bytes |`,
    `| log of the state machine, an attempt | ${log_bytes_an_attempt} bytes |`,
    `| calls that X-Ray traces | ${traced * 100} % |`,
  ].join('\n');
}

/** A steady rate, from the rows of single calls: sums that nobody has been billed. */
function atRate(rows: readonly Row[], perSecond: number): string {
  const sumOf = (title: string) =>
    Object.values(rows.find((row) => row.title === title)?.parts ?? {}).reduce((sum, part) => sum + part, 0);
  const line = (what: string, each: number) => {
    const day = each * perSecond * 86_400;
    return `| ${what} | ${Math.round(day).toLocaleString('en')} | ${Math.round(day * 30).toLocaleString('en')} |`;
  };
  return [
    '| | USD a day | USD a month |',
    '|---|--:|--:|',
    line('execute, warm', sumOf('execute, warm, assertions only')),
    line(
      'submit, judged, its result read once',
      sumOf('submit: accepted') +
        sumOf('its judgment in the background, assertions only') +
        sumOf('read a state with its result'),
    ),
  ].join('\n');
}

function page(prices: Prices, units: z.infer<typeof unitsSchema>): string {
  const rows = rowsOf(prices, units.journeys);
  const months = standing(prices, units.journeys);
  const idle = months.reduce((sum, [, cost]) => sum + cost, 0);
  const stored = (units.result_bytes * 1e6) / 1e9;
  return `# Cost on AWS

<!-- Written by scripts/cost.ts from docs/data/aws-units.json and docs/data/aws-prices.json. Change those, not this page. -->

Store calls and units were **measured**, a journey each, against the local AWS by the published rules of each service
(\`npm run units\`). Transitions are counted from the state machine's definition, which has
${Object.keys(attemptDefinition.States).length} states. Prices: ${prices.region}, ${prices.date}. ${prices.note}
${prices.assumed.note}
Judge models, and the extract and sandbox functions, come on top for Verifiers that use them: a check in Python is one call of
2 GB for a second at most, a model is what its provider takes. What is assumed is marked so below, and nowhere else.

## Assumptions

${assumptions(prices)}

## A call

${table(rows)}

A submit that is waited for is four rows: accepted, judged, and reads of its state as often as the client polls.

## At 1,000 a second

Computed from the rows above for assertions only, day and night, all on demand and at list price; docs/scale.md has the quotas.

${atRate(rows, 1_000)}

Nearly all of a submit is eight state transitions: whoever waits for the answer anyway asks \`execute\`.

## A month without a call

| | USD |
|---|--:|
${months.map(([title, cost]) => `| ${title} | ${cost.toFixed(2)} |`).join('\n')}
| **sum** | **${idle.toFixed(2)}** |

## What stays

A result of ${units.result_bytes} bytes (ten assertions on 2 KB): a million take ${stored.toFixed(1)} GB of the executions table,
${(stored * priceOf(prices, 'dynamodb_gigabyte_month')).toFixed(2)} USD a month and once more for recovery to a point in time, until the
retention ends. Evidence is ${prices.s3_gigabyte_month} USD a GB and month, each file once a tenant.

## Sources of the prices

${prices.sources.map((source) => `- <${source}>`).join('\n')}
`;
}

const prices = pricesSchema.parse(JSON.parse(await read('docs/data/aws-prices.json')));
const units = unitsSchema.parse(JSON.parse(await read('docs/data/aws-units.json')));
await writeFile(fileURLToPath(new URL('docs/cost.md', root)), page(prices, units));
