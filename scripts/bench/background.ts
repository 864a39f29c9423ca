import { v7 } from 'uuid';
import { systemIds } from '#adapters/embedded/system.ts';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { openStore } from '#local/open-store.ts';
import { ringDue } from '#service/alarms/ring-due.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { firstLine, headersOf, type Load, preparedLoad, spawnHost } from './http.ts';

export interface BackgroundFigures {
  readonly observationsPerSecond: number;
  /** Milliseconds until all groups that were due at once were admitted. */
  readonly groupsAdmitted: number;
}

const turn = {
  inputs: { turn: { type: 'json' } },
  requirements: [
    { id: 'polite', statement: 'Polite', check: { kind: 'assert', path: 'inputs.turn', operator: 'is_not_null' } },
  ],
};
const talk = {
  inputs: { marks: 'verifiers.turn.requirements.polite.outcome' },
  requirements: [
    {
      id: 'all',
      statement: 'All were',
      check: { kind: 'assert', each: 'inputs.marks', operator: 'equals', expected: 'passed' },
    },
  ],
};

/** Samples brought over HTTP, a thousand records a batch and each batch durable; and groups that come due together. */
export async function benchBackground(
  data: string,
  { observations, groups }: { readonly observations: number; readonly groups: number },
): Promise<BackgroundFigures> {
  const child = spawnHost(data);
  let observationsPerSecond = 0;
  try {
    const load = await preparedLoad(await firstLine(child));
    const uids = await declareTalks(load);
    observationsPerSecond = await ingest(load, uids.service ?? '', observations);
    await makeGroups(load, uids, groups);
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  return { observationsPerSecond, groupsAdmitted: await admitAll(data, groups) };
}

async function post({ url, token }: Load, path: string, body: unknown): Promise<Response> {
  const key = { 'idempotency-key': `card-declaration-${v7()}` };
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: headersOf(token, key),
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function declareTalks(load: Load): Promise<Readonly<Record<string, string>>> {
  const card = (kind: string, name: string, spec: object) => ({
    apiVersion: 'wyrd/v1',
    kind,
    metadata: { name, version: '1.0.0' },
    spec,
  });
  const sibling = (name: string) => ({ sibling: { kind: 'Verifier', name, version: '1.0.0' } });
  const verified_by = [
    { verifier: sibling('turn') },
    { verifier: sibling('talk'), runs_on: { kind: 'group_end', after: '1h' } },
  ];
  const submissions = [
    card('Verifier', 'turn', turn),
    card('Verifier', 'talk', talk),
    card('Service', 'service', { verified_by }),
  ];
  const { outcomes } = (await (await post(load, '/v1/cards', { submissions })).json()) as {
    readonly outcomes: readonly { readonly card_ref: { readonly name: string; readonly uid: string } }[];
  };
  return Object.fromEntries(outcomes.map(({ card_ref }) => [card_ref.name, card_ref.uid]));
}

async function ingest(load: Load, subject: string, observations: number): Promise<number> {
  const batches = Array.from({ length: observations / 1_000 }, () => ({
    batch_id: v7(),
    records: Array.from({ length: 1_000 }, (_none, index) => ({
      record_id: v7(),
      subject_card_uid: subject,
      created_at: new Date().toISOString(),
      features: { latency_ms: index / 7, tokens: index },
    })),
  }));
  const from = performance.now();
  await inTurns(batches, 4, (batch) => post(load, '/v1/observations', batch));
  return observations / ((performance.now() - from) / 1_000);
}

function makeGroups(load: Load, uids: Readonly<Record<string, string>>, groups: number): Promise<void> {
  const ids = Array.from({ length: groups }, (_none, index) => `talk-${index}`);
  const target = { verifier_card_uid: uids.turn, card_uid: uids.service };
  return inTurns(ids, 16, (group_id) =>
    post(load, '/v1/verification/execute', { ...target, group_id, inputs: { turn: { kind: 'json', value: 'hello' } } }),
  );
}

async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Two hours later, so that all are due. */
async function admitAll(data: string, groups: number): Promise<number> {
  const store = await openStore(data);
  try {
    let admitted = 0;
    const ports = {
      ...store,
      clock: { ...store.clock, now: () => Date.now() + 7_200_000 },
      ids: systemIds,
      log: { info() {}, warn() {}, error: (message: string) => console.error(message) },
      compiledVerifiers: boundedCache<never>(10),
      parquet: parquetFiles,
      workflow: {
        start: async () => {
          admitted += 1;
        },
      },
      deliveries: { start: async () => {} },
    };
    const from = performance.now();
    while ((await ringDue(ports)) > 0 && admitted < groups);
    if (admitted !== groups) throw new Error(`${admitted} of ${groups} groups were admitted`);
    return performance.now() - from;
  } finally {
    await store.close();
  }
}
